import { callsOf, type Message, type ToolCallPart, textOf } from "../protocol/message.ts";
import type { Reach } from "../protocol/reach.ts";
import { type IsTrusted, OWN_SOURCES, RAN, RECALLED, taintIn } from "../protocol/taint.ts";
import type { Tool } from "../protocol/tool.ts";
import { namedIn, type Place, placeAt } from "./addresses.ts";
import type { Ready } from "./inspect-call.ts";
import { readCall } from "./read-call.ts";

type History = readonly (Message | undefined)[];
type Tools = ReadonlyMap<string, Tool>;

/** Pages of one site that are opened unasked beside those that the user wrote: which of many is opened can tell, too. */
const PAGES_OF_A_SITE = 10;
/** Characters: a person types no longer ones into a search. */
const LONGEST_WORDS = 400;
const LONGEST_WORD = 60;

/** What stands in front of a call. */
export interface Before {
  readonly before: History;
  /** The calls of its reply in front of it: whether they will run is not known. */
  readonly beside: readonly ToolCallPart[];
}

/** The calls of its reply that stand in front of a call. */
export function callsBefore(call: ToolCallPart, reply: readonly ToolCallPart[]): readonly ToolCallPart[] {
  const at = reply.indexOf(call);
  return reply.slice(0, Math.max(0, at < 0 ? reply.findIndex(({ callId }) => callId === call.callId) : at));
}

/** What a person is asked about where a call reaches to, behind what was said before; empty: nothing. */
export const outwardOf =
  (tools: Tools, isTrusted: IsTrusted) =>
  (reading: Ready, said: Before): (() => readonly string[]) =>
  () => {
    const reach = reachOf(reading);
    const source = reach && taintIn(said.before, isTrusted);
    const what = reach && source !== undefined ? newIn(reach, said, tools) : undefined;
    return what === undefined ? [] : [`It ${what}, and others' words were read in this session (${source}).`];
  };

/** Of a call that cannot be judged, the worse is taken. */
function reachOf({ tool, input }: Ready): Reach | undefined {
  if (typeof tool.reaches !== "function") return tool.reaches;
  try {
    return tool.reaches(input);
  } catch {
    return { type: "send", to: `whatever ${tool.name} reaches` };
  }
}

function newIn(reach: Reach, said: Before, tools: Tools): string | undefined {
  switch (reach.type) {
    case "fetch": {
      const asked = newOf(reach.urls, said, tools);
      return asked.length === 0 ? undefined : `opens ${asked.join(" and ")}`;
    }
    case "service":
      return isTypeable(reach.words) ? undefined : `sends ${JSON.stringify(reach.words)}`;
    case "send":
      return `reaches ${reach.to}`;
  }
}

const isTypeable = (words: string): boolean =>
  words.length <= LONGEST_WORDS && words.split(/\s+/u).every((word) => word.length <= LONGEST_WORD);

/** What is known of addresses, by their place. */
interface Known {
  /** Whatever else is named does not matter. */
  readonly wanted: readonly Place[];
  readonly byUser: Set<string>;
  /** Named by what was opened or searched, before any model wrote it. */
  readonly found: Set<string>;
  /** Made up by a model, as far as is known. */
  readonly made: Set<string>;
  readonly opened: Set<string>;
}

/** The addresses that a person is asked about, as they would be asked for. */
function newOf(urls: readonly string[], { before, beside }: Before, tools: Tools): string[] {
  const wanted = urls.flatMap((url) => placeAt(url) ?? []);
  const known = knownIn(before, wanted, tools);
  const pages = new Map<string, number>();
  const count = (site: string): number => {
    const more = (pages.get(site) ?? 0) + 1;
    pages.set(site, more);
    return more;
  };
  const asked = beside.flatMap((call) => urlsIn(call, tools)).map((url) => placeAt(url)?.key ?? url);
  for (const key of new Set([...known.opened, ...asked])) if (!known.byUser.has(key)) count(placeAt(key)?.site ?? key);
  return urls.filter((url) => {
    const place = placeAt(url);
    if (place === undefined) return true;
    const { key, site } = place;
    if (known.byUser.has(key) || known.opened.has(key)) return false;
    return place.isOdd || !known.found.has(key) || count(site) > PAGES_OF_A_SITE;
  });
}

function urlsIn(call: ToolCallPart, tools: Tools): readonly string[] {
  const reading = readCall(call, tools);
  const isFinder = reading.type === "ready" && reading.tool.findsAddresses === true;
  const reach = isFinder ? reachOf(reading) : undefined;
  return reach?.type === "fetch" ? reach.urls : [];
}

function knownIn(history: History, wanted: readonly Place[], tools: Tools): Known {
  const known: Known = { wanted, byUser: new Set(), found: new Set(), made: new Set(), opened: new Set() };
  const finders = new Map<string, Reach | undefined>();
  for (const message of history) {
    if (message?.role === "user") fromUser(message, known);
    else if (message?.role === "assistant") fromModel(message, { known, finders, tools });
    else if (message?.role === "tool") fromTool(message, known, finders);
  }
  return known;
}

/** A message from elsewhere is nobody's word, but what it names was there before this session. */
function fromUser(message: Extract<Message, { role: "user" }>, known: Known): void {
  const isOwn = message.tainted === undefined;
  for (const part of message.parts) {
    if (part.type === "text" && isOwn) wrote(known, part.text);
    if (part.type === "context" && !OWN_SOURCES.has(part.source) && part.source !== RECALLED) find(known, part.text);
  }
}

interface Reading {
  readonly known: Known;
  /** The calls whose results name addresses, and what they opened. */
  readonly finders: Map<string, Reach | undefined>;
  readonly tools: Tools;
}

function fromModel(message: Extract<Message, { role: "assistant" }>, { known, finders, tools }: Reading): void {
  make(known, textOf(message));
  for (const call of callsOf(message)) {
    // Tools also take addresses as people write them.
    make(known, plainInput(call), "bare");
    const reading = readCall(call, tools);
    if (reading.type === "ready" && reading.tool.findsAddresses === true) finders.set(call.callId, reachOf(reading));
  }
}

/** Words that a model wrote with escapes are read as what they stand for. */
function plainInput({ input }: ToolCallPart): string {
  try {
    return JSON.stringify(JSON.parse(input));
  } catch {
    return input;
  }
}

/** What other tools return may be put together by whoever calls them: files, commands, scripts. */
function fromTool(message: Extract<Message, { role: "tool" }>, known: Known, finders: Reading["finders"]): void {
  for (const part of message.parts) if (part.type === "steer") wrote(known, part.text);
  if (!RAN.has(message.status) || !finders.has(message.callId)) return;
  const reach = finders.get(message.callId);
  if (reach?.type === "fetch") for (const url of reach.urls) known.opened.add(placeAt(url)?.key ?? url);
  find(known, textOf(message));
}

function wrote(known: Known, text: string): void {
  for (const key of namedIn(text, known.wanted, "bare")) known.byUser.add(key);
}

function find(known: Known, text: string): void {
  for (const key of namedIn(text, known.wanted)) if (!known.made.has(key)) known.found.add(key);
}

function make(known: Known, text: string, bare?: "bare"): void {
  for (const key of namedIn(text, known.wanted, bare))
    if (!known.found.has(key) && !known.byUser.has(key)) known.made.add(key);
}
