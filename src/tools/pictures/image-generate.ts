import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Egress } from "../../protocol/egress.ts";
import type { Tool, ToolContext } from "../../protocol/tool.ts";
import { resolvedPaths } from "../files/target.ts";
import { askAbout, claimPath, firstOutside, type Place, whyAskToWrite } from "../paths.ts";
import type { PictureMaker, Shape, Took } from "./make-picture.ts";

/** Says what a picture took, and keeps it on the account of the turn; in one short clause. */
export type Account = (
  maker: Pick<PictureMaker, "provider" | "model">,
  took: Took | undefined,
  context: ToolContext,
) => Promise<string>;

export interface ImageParts {
  readonly place: Place;
  readonly egress: () => Promise<Egress>;
  /** Looked up when a picture is to be made. Rejects with one sentence. */
  readonly maker: () => Promise<PictureMaker>;
  readonly account: Account;
  /** Why none are made here. */
  readonly off: string | undefined;
}

/** Characters. */
const LONGEST_PROMPT = 4_000;
const FOLDER = "pictures";

/** Makes a picture and writes it into the working folder (row E9). Run again it costs again, so it is an effect. */
export const imageTool = (parts: ImageParts): Tool => ({
  name: "image_generate",
  toolset: "pictures",
  description:
    "Make a picture from words. It is written to a file, and shown to you. Costs money: make one only where one is wanted.",
  parameters: {
    type: "object",
    properties: {
      prompt: { type: "string", minLength: 1, maxLength: LONGEST_PROMPT, description: "What it shows, and how." },
      shape: { type: "string", enum: ["square", "landscape", "portrait"], description: "Default square." },
      path: { type: "string", description: `A new file for it. Default: a name of its own in ${FOLDER}/.` },
    },
    required: ["prompt"],
    additionalProperties: false,
  },
  effect: "effect",
  concurrency: "paths",
  trusted: true,
  reaches: ({ prompt }) => ({ type: "service", words: String(prompt) }),
  available: () => parts.off,
  claim: (input) => claimPath(pathIn(input, parts.place), parts.place, "writes"),
  outside: (input) => firstOutside([pathIn(input, parts.place)], parts.place),
  ask: (input) => askAbout(pathIn(input, parts.place), parts.place, whyAskToWrite),
  changes: (input) => resolvedPaths([pathIn(input, parts.place)], parts.place),
  async run(input, context) {
    const { generate } = await import("./generate.ts");
    const wanted = { prompt: String(input["prompt"]), shape: (input["shape"] ?? "square") as Shape };
    return generate({ ...wanted, path: pathIn(input, parts.place) }, parts, context);
  },
});

/** The same call names the same file until there is one. */
function pathIn({ path, prompt, shape }: Readonly<Record<string, unknown>>, { cwd }: Place): string {
  if (typeof path === "string" && path.trim() !== "") return path;
  const words =
    String(prompt)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const hash = createHash("sha256")
    .update(JSON.stringify([prompt, shape]))
    .digest("hex")
    .slice(0, 6);
  const name = `${words.slice(0, 5).join("-").slice(0, 40) || "picture"}-${hash}`;
  for (let number = 1; ; number += 1) {
    const free = join(FOLDER, `${name}${number === 1 ? "" : `-${number}`}.png`);
    if (!existsSync(join(cwd, free))) return free;
  }
}
