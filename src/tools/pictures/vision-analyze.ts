import type { Egress } from "../../protocol/egress.ts";
import type { ImagePart } from "../../protocol/message.ts";
import { SHARED, type Tool, type ToolContext } from "../../protocol/tool.ts";
import { askAbout, claimPath, firstOutside, type Place, whyAskToRead } from "../paths.ts";

/** What is asked about a picture. */
export interface AboutPicture {
  readonly picture: ImagePart;
  readonly question: string;
}

/** Asks a model that sees. Rejects with one sentence. */
export type Look = (asked: AboutPicture, context: ToolContext) => Promise<string>;

export interface VisionParts {
  readonly place: Place;
  readonly egress: () => Promise<Egress>;
  readonly look: Look;
  /** Why no address is opened here. */
  readonly off?: string | undefined;
}

/** Has a model that sees answer a question about a picture (row E9), which never joins the conversation itself. */
export const visionTool = ({ place, egress, look, off }: VisionParts): Tool => ({
  name: "vision_analyze",
  toolset: "pictures",
  description: "Ask about a picture: a file, or an address of the web. A model that sees answers the question.",
  parameters: {
    type: "object",
    properties: {
      image: { type: "string", minLength: 1, description: "A path, or an http or https address." },
      question: { type: "string", minLength: 1, description: "What you want to know. Default: all that it shows." },
    },
    required: ["image"],
    additionalProperties: false,
  },
  effect: "idempotent",
  concurrency: "paths",
  untrustedOutput: true,
  reaches: ({ image }) => (isAddress(image) ? { type: "fetch", urls: [String(image)] } : undefined),
  claim: ({ image }) => (isAddress(image) ? SHARED : claimPath(image, place, "reads")),
  outside: ({ image }) => (isAddress(image) ? undefined : firstOutside([image], place)),
  ask: ({ image }) => (isAddress(image) ? undefined : askAbout(image, place, whyAskToRead)),
  async run({ image, question = EVERYTHING }, context) {
    const given = String(image);
    if (isAddress(image) && off !== undefined) throw new Error(`${given} was not fetched: ${off}.`);
    const { pictureFrom } = await import("./picture-source.ts");
    const picture = await pictureFrom(given, { place, egress, ...context, approved: context.approved });
    return look({ picture, question: String(question) }, context);
  },
});

const EVERYTHING = "What does it show, and what is written in it?";

const isAddress = (image: unknown): boolean => typeof image === "string" && /^https?:/iu.test(image);
