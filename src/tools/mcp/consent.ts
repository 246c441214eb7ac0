import { inKeyOrder, isObject, objectInText } from "../../protocol/json.ts";
import type { McpForm } from "../../protocol/mcp-consent.ts";
import type { ListedTool, Listing } from "../../protocol/mcp.ts";
import { digestOf } from "./pins.ts";

/** What an owner agreed to, as they saw it. */
export interface Consent {
  readonly form: McpForm;
  /** What the server had said; undefined: it was not asked, and none of its tools is used. */
  readonly listing: Listing | undefined;
  /** ms since the epoch */
  readonly sinceMs: number;
}

/** Where consents are kept: their owner's alone. */
export interface ConsentFile {
  /** Undefined: there is none. Throws where it cannot be used. */
  readonly read: () => string | undefined;
  /** Nobody comes between. */
  readonly change: (how: (text: string | undefined) => string) => Promise<void>;
}

/** `damaged`: the names of entries that somebody else has changed, or `*` where nothing can be read. */
export interface Consents {
  readonly kept: ReadonlyMap<string, Consent>;
  readonly damaged: ReadonlySet<string>;
}

const VERSION = 1;

const sealOf = (name: string, consent: Consent): string =>
  digestOf(JSON.stringify(inKeyOrder({ version: VERSION, name, ...consent })));

/** A file that cannot be read allows nothing; an entry whose seal is broken does not either. */
export function readConsents(text: string | undefined): Consents {
  if (text === undefined) return { kept: new Map(), damaged: new Set() };
  const file = objectInText(text);
  const servers = file?.["servers"];
  if (file?.["version"] !== VERSION || !isObject(servers)) return { kept: new Map(), damaged: new Set(["*"]) };
  const kept = new Map<string, Consent>();
  const damaged = new Set<string>();
  for (const [name, entry] of Object.entries(servers)) {
    const consent = isObject(entry) ? consentIn(name, entry) : undefined;
    if (consent === undefined) damaged.add(name);
    else kept.set(name, consent);
  }
  return { kept, damaged };
}

function consentIn(name: string, { seal, ...entry }: Readonly<Record<string, unknown>>): Consent | undefined {
  if (!isObject(entry["form"]) || typeof entry["sinceMs"] !== "number") return undefined;
  const listing = entry["listing"];
  if (listing !== undefined && !isListing(listing)) return undefined;
  const consent = { ...entry, listing } as Consent;
  return seal === sealOf(name, consent) ? consent : undefined;
}

const isListing = (value: unknown): value is Listing => isObject(value) && Array.isArray(value["tools"]);

/** The file with one server agreed to, or without it. What was damaged is not kept. */
export function withConsent(text: string | undefined, name: string, consent: Consent | undefined): string {
  const { kept } = readConsents(text);
  const others = [...kept].filter(([known]) => known !== name);
  const all = consent === undefined ? others : [...others, [name, pinned(consent)] as const];
  const servers = Object.fromEntries(
    all.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([known, it]) => [known, { ...it, seal: sealOf(known, it) }]),
  );
  return `${JSON.stringify({ version: VERSION, servers }, undefined, 2)}\n`;
}

/** Only what is pinned of a tool. */
function pinned({ form, listing, sinceMs }: Consent): Consent {
  if (listing === undefined) return { form, listing, sinceMs };
  const tools = listing.tools.map(
    ({ name, title, description, inputSchema, outputSchema, annotations }): ListedTool => ({
      name,
      inputSchema,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(outputSchema !== undefined && { outputSchema }),
      ...(annotations !== undefined && { annotations }),
    }),
  );
  const { instructions } = listing;
  // As it comes out of a file.
  const whole = { form, sinceMs, listing: { tools, ...(instructions !== undefined && { instructions }) } };
  return JSON.parse(JSON.stringify(whole)) as Consent;
}
