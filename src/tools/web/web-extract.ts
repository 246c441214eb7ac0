import type { Egress } from "../../protocol/egress.ts";
import type { Tool } from "../../protocol/tool.ts";

/** hermes.md §16: addresses of one call. */
const MOST_URLS = 5;
/** Characters of each page (nanobot.md §9.5). */
const USUAL_CHARS = 50_000;
const MOST_CHARS = 100_000;

export interface WebExtractParts {
  readonly egress: () => Promise<Egress>;
  /** Why nothing is read here; one sentence. */
  readonly off?: string | undefined;
  /** How long a page may be read once it is here, ms; as usual when absent. */
  readonly limitMs?: number;
}

const address = (description: string): Readonly<Record<string, unknown>> => ({
  type: "string",
  minLength: 1,
  maxLength: 8_192,
  description,
});

/** Reads pages of the web (row E9). */
export const webExtractTool = ({ egress, off, limitMs }: WebExtractParts): Tool => ({
  name: "web_extract",
  toolset: "web",
  description:
    `Read pages of the web, up to ${MOST_URLS} at once: the main text of a page as Markdown, PDF documents as text, pictures as ` +
    "pictures, other text as it is. No scripts run. Long pages are cut.",
  parameters: {
    type: "object",
    properties: {
      urls: { type: "array", items: address("An address."), maxItems: MOST_URLS },
      url: address("One address, in place of urls."),
      format: {
        type: "string",
        enum: ["markdown", "raw"],
        description: "raw: a page as it was sent. Default markdown.",
      },
      max_chars: {
        type: "integer",
        minimum: 100,
        maximum: MOST_CHARS,
        description: `Characters of each page. Default ${USUAL_CHARS}.`,
      },
    },
    additionalProperties: false,
  },
  effect: "idempotent",
  concurrency: "shared",
  external: true,
  untrustedOutput: true,
  findsAddresses: true,
  reaches: (input) => ({ type: "fetch", urls: addressesIn(input) }),
  available: () => off,
  async run(input, { signal, keep }) {
    const urls = addressesIn(input);
    if (urls.length === 0) throw new Error("No address was given: name up to 5 in urls, or one in url.");
    if (urls.length > MOST_URLS)
      throw new Error(`At most ${MOST_URLS} addresses are read at once: ask again for the rest.`);
    const { readPages } = await import("./extract/read-pages.ts");
    const ways = { egress: await egress(), signal, format: input["format"] === "raw" ? "raw" : "markdown" } as const;
    const limits = { most: Number(input["max_chars"] ?? USUAL_CHARS), ...(limitMs !== undefined && { limitMs }) };
    return readPages(urls, { ...ways, ...limits, keep });
  },
});

/** Each once, with a scheme where none was written. */
function addressesIn(input: Readonly<Record<string, unknown>>): readonly string[] {
  const { urls = [], url } = input;
  const all: unknown[] = [...(Array.isArray(urls) ? urls : []), ...(url === undefined ? [] : [url])];
  const given = all.map((one) => String(one).trim()).filter((one) => one !== "");
  return [...new Set(given.map((one) => (/^[a-z][a-z0-9+.-]*:(?!\d)/iu.test(one) ? one : `https://${one}`)))];
}
