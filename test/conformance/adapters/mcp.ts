import { readFileSync } from "node:fs";
import type { ListedTool, McpServer } from "../../../src/protocol/mcp.ts";
import { systemClock } from "../../../src/session/system-clock.ts";
import { builtInTools } from "../../../src/tools/built-in.ts";
import { connectOnce } from "../../../src/tools/mcp/connect-once.ts";
import { markersOf } from "../../../src/tools/mcp/markers.ts";
import { admitted } from "../../../src/tools/mcp/pins.ts";
import { safeText } from "../../../src/tools/mcp/safe-text.ts";
import { serverTools, type ServerTools } from "../../../src/tools/mcp/server-tool.ts";
import { toldResult } from "../../../src/tools/mcp/told-result.ts";
import { toolName } from "../../../src/tools/mcp/tool-names.ts";
import { callIn, McpPlace, programServer } from "../../support/mcp.ts";
import type { Json } from "../case-file.ts";
import { objectOf } from "../input.ts";
import { configChanged, grantedFor, oauthCase } from "./mcp-consent.ts";

type Input = Readonly<Record<string, Json>>;

/** What is seen to hold, in the words that `mcpExpectation` gives to sentences; others say what went wrong. */
type Outcome = string;

/** A text as it is, anything else as JSON. */
const wordsOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** What a sentence asks for; the first that fits. */
const ASKED: readonly (readonly [said: RegExp, outcome: Outcome])[] = [
  [/no prompt/iu, "no prompt"],
  [/flagged/iu, "flagged"],
  [/new (?:random )?port/iu, "another port"],
  [/collision|shadow|namespaced|both (?:are )?available/iu, "apart"],
  [/hashed|name length|≤ ?64/iu, "legal"],
  [/literal|verbatim|not evaluated/iu, "literal"],
  [/not fetched|no (?:automatic )?fetch/iu, "not fetched"],
  [/coalesc/iu, "coalesced"],
  [/restart|call fails|fails? (?:with|within|at)|timeout|time out|killed|back-?off/iu, "fails"],
  [/strip|removed|invisible|without hidden/iu, "stripped"],
  [/capped?\b|\bcut\b|truncat|1,?000/iu, "capped"],
  [/\bask|approval|confirm|destructive|unchanged verdict|not lowered/iu, "asks"],
  [/refus|reject|\boff\b|denied|not offered|not sent|disabled/iu, "refused"],
  [/allowed/iu, "allowed"],
];

export const mcpExpectation = (expect: Json): Json => ASKED.find(([said]) => said.test(wordsOf(expect)))?.[1] ?? expect;

/** By the key of the input that says what it is about. */
const WAYS: readonly (readonly [key: string, way: (input: Input) => Outcome | Promise<Outcome>])[] = [
  ["tool_name", named],
  [
    "param_default",
    ({ param_default: value }) => (described({ default: value ?? "" }) === value ? "literal" : "changed"),
  ],
  ["param_name", ({ param_name: name }) => flagged(wordsOf(name))],
  ["key_order_changed_only", () => reordered()],
  ["description", ({ description }) => worded(wordsOf(description))],
  ["annotations", ({ annotations }) => annotated(annotations)],
  ["result", ({ result }) => resulting(objectOf(result ?? {}, "result"))],
  ["elicitation", () => offersNothing()],
  ["sampling", () => offersNothing()],
  ["server_exits", () => exits()],
  ["list_changed", ({ list_changed: times }) => changes(Number(times))],
  ["config_changed", configChanged],
  ["oauth", oauthCase],
  ["token_for", grantedFor],
];

/** What nothing here answers yet. */
const LATER: readonly (readonly [key: string, why: string])[] = [
  ["uri_template", "needs templates of resources, a later part"],
];

export function mcpUnsupported(input: Json): string | undefined {
  const keys = Object.keys(objectOf(input, "input"));
  if (WAYS.some(([key]) => keys.includes(key))) return undefined;
  // Reported bugs are of an area of the same name: tests carry their ids.
  return LATER.find(([key]) => keys.includes(key))?.[1] ?? "prose";
}

export async function mcpCase(input: Json): Promise<Json> {
  const asked = objectOf(input, "input");
  const way = WAYS.find(([key]) => key in asked)?.[1];
  return (await way?.(asked)) ?? "unknown";
}

const server: McpServer = programServer("x", []);

function offered(tools: readonly ListedTool[], of: McpServer = server): ServerTools {
  const admitted = new Set(tools.map(({ name }) => name));
  return serverTools(of, { tools }, { admitted, folder: "/", call: () => Promise.resolve({}) });
}

const listed = (name: string, more: Partial<ListedTool> = {}): ListedTool => ({ name, inputSchema: {}, ...more });

/** With several servers: however the two names are cut, no two tools have one name. */
function named({ tool_name: tool, servers }: Input): Outcome {
  const name = wordsOf(tool);
  const own = builtInTools({ cwd: "/", home: "/", env: {} }).map((it) => it.name);
  if (Array.isArray(servers)) {
    const whole = (it: unknown): string => `${wordsOf(it)}__${name}`;
    const longest = servers.map(whole).toSorted((one, other) => other.length - one.length)[0] ?? "";
    const cuts = servers.map((it) => toolName(wordsOf(it), longest.slice(wordsOf(it).length + 2)));
    return new Set([...cuts, ...servers.map((it) => toolName(wordsOf(it), name))]).size >= servers.length
      ? "apart"
      : "one name";
  }
  const [found] = offered([listed(name)]).tools;
  if (own.includes(name)) return found !== undefined && !own.includes(found.tool.name) ? "apart" : "shadows";
  const isStable = found?.tool.name === offered([listed(name)]).tools[0]?.tool.name;
  return found === undefined || (isStable && /^[A-Za-z0-9_-]{1,64}$/u.test(found.tool.name)) ? "legal" : "illegal";
}

/** What a model is told of an argument's default. */
function described(schema: Readonly<Record<string, unknown>>): unknown {
  const [found] = offered([listed("t", { inputSchema: { properties: { p: schema } } })]).tools;
  const properties = found?.tool.parameters["properties"] as
    | Readonly<Record<string, { readonly default?: unknown }>>
    | undefined;
  return properties?.["p"]?.default;
}

function worded(description: string): Outcome {
  const told = offered([listed("t", { description })]).tools[0]?.tool.description ?? "";
  if (description.length > 1_000) return told.length <= 1_100 ? "capped" : "whole";
  return told.endsWith(safeText(description, 1_000)) && !told.includes(description) ? "stripped" : "literal";
}

/** What its owner is shown of it before they agree. */
function flagged(name: string): Outcome {
  return markersOf(listed("t", { inputSchema: { properties: { [name]: {} } } })).length > 0 ? "flagged" : "plain";
}

function reordered(): Outcome {
  const tool = (inputSchema: Readonly<Record<string, unknown>>): ListedTool => listed("t", { inputSchema });
  const before = { tools: [tool({ type: "object", properties: { a: {}, b: {} } })] };
  const now = { tools: [tool({ properties: { b: {}, a: {} }, type: "object" })] };
  return admitted(before, now).has("t") ? "no prompt" : "asks";
}

function annotated(annotations: Json | undefined): Outcome {
  const hints =
    annotations === undefined || annotations === null ? {} : { annotations: objectOf(annotations, "annotations") };
  const [found] = offered([listed("t", hints)]).tools;
  return found?.tool.verdict?.({})?.type === "ask" && found.tool.concurrency === "exclusive" ? "asks" : "runs";
}

/** Nothing is listening where a link leads: what is told says that it was not followed. */
async function resulting(result: Input): Promise<Outcome> {
  if ("resource_link" in result) {
    const told = await toldResult({ content: [{ type: "resource_link", uri: result["resource_link"] }] });
    return wordsOf(told).includes("not fetched") ? "not fetched" : wordsOf(told);
  }
  const words = JSON.stringify(result);
  const told = await toldResult({ content: [{ type: "text", text: words }] });
  return told === words ? "literal" : "changed";
}

/** A server learns from a client that begins what it may ask of it. */
async function offersNothing(): Promise<Outcome> {
  await using place = new McpPlace();
  const options = { folder: place.folder, clock: systemClock };
  const once = await connectOnce(place.faulty("told"), options, new AbortController().signal);
  await once.close();
  const line = readFileSync(`${place.folder}/told`, "utf8")
    .split("\n")
    .find((it) => it.startsWith("client "));
  const can = Object.keys(JSON.parse(line?.slice(7) ?? "{}") as object);
  return can.includes("elicitation") || can.includes("sampling") ? "offered" : "refused";
}

async function exits(): Promise<Outcome> {
  await using place = new McpPlace();
  let nowMs = 0;
  const desk = place.desk([place.faulty("exits-in-call")], { clock: { ...systemClock, elapsed: () => nowMs } });
  const tools = await desk.tools();
  let failed = 0;
  for (let call = 0; call < 20; call++) {
    await callIn(tools, "mcp__exits-in-call__echo").catch(() => failed++);
    nowMs += 20_000;
  }
  return failed === 20 && place.pids("exits-in-call").length <= 6 ? "fails" : "runs on";
}

async function changes(times: number): Promise<Outcome> {
  await using place = new McpPlace();
  const desk = place.desk([place.faulty("none")]);
  await callIn(await desk.tools(), "mcp__none__echo", { storm: times });
  await desk.tools();
  return place.notes("none").filter((line) => line === "list").length === 2 ? "coalesced" : "each";
}
