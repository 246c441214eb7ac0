import { homedir } from "node:os";
import { type Claim, EXCLUSIVE, SHARED, type Tool } from "../../../src/protocol/tool.ts";
import { claimPath } from "../../../src/tools/paths.ts";

type Arguments = Readonly<Record<string, unknown>>;
type ClaimOf = (input: Arguments) => Claim;

/** Read-only look-ups of row E3 and hermes.md §14.1, §26.15 that touch no path. */
const SHARED_NAMES = [
  "ha_get_state",
  "ha_list_entities",
  "ha_list_services",
  "image_generate",
  "session_search",
  "skill_view",
  "skills_list",
  "vision_analyze",
  "web_extract",
  "web_search",
  "tool_search",
  "tool_describe",
] as const;

/**
 * The tools the recorded plans speak of, declared as a tool author declares them to us. Every other name (clarify,
 * terminal, execute_code, MCP tools without a declaration, …) stays undeclared: the careful choice is ours.
 */
export function referenceTools(cwd: string): Tool[] {
  const place = { cwd, home: homedir(), guarded: [] };
  const claims = new Map<string, ClaimOf>([
    ...SHARED_NAMES.map((name): [string, ClaimOf] => [name, () => SHARED]),
    ["read_file", (input) => claimPath(pathOf(input), place, "reads")],
    ["search_files", (input) => claimPath(optionalPath(input), place, "reads")],
    ["write_file", (input) => claimPath(pathOf(input), place, "writes")],
    ["patch", (input) => together(patchTargets(input).map((path) => claimPath(path, place, "writes")))],
  ]);
  claims.set("tool_call", (input) => bridged(input, claims));
  return [...claims].map(([name, claim]) => ({
    name,
    description: name,
    parameters: { type: "object" },
    effect: "pure",
    concurrency: "paths",
    claim,
    run: () => "",
  }));
}

function together(claims: readonly Claim[]): Claim {
  const writes = claims.map((claim) => (claim.mode === "paths" ? claim.writes : undefined));
  return writes.includes(undefined)
    ? EXCLUSIVE
    : { mode: "paths", reads: [], writes: writes.flatMap((paths) => paths ?? []) };
}

function pathOf(input: Arguments): string {
  const path = input["path"];
  if (typeof path === "string" && path.trim() !== "") return path;
  throw new Error("a path tool without a path");
}

function optionalPath(input: Arguments): string {
  const path = input["path"];
  return typeof path === "string" && path.trim() !== "" ? path : ".";
}

const TARGET = /^\*\*\*[ \t]*(?:Update|Add|Delete)[ \t]+File:(.+)$/gmu;
const MOVE = /^\*\*\*[ \t]*Move[ \t]+File:(.+?)->(.+)$/gmu;

/** A patch in mode `patch` names its files in its headers, its `path` is a decoy; in every other mode `path` counts. */
function patchTargets(input: Arguments): string[] {
  if (input["mode"] !== "patch") return [pathOf(input)];
  const text = typeof input["patch"] === "string" ? input["patch"] : "";
  const targets = [...text.matchAll(TARGET), ...text.matchAll(MOVE)].flatMap((match) => match.slice(1));
  const named = targets.map((target) => target.trim()).filter((target) => target !== "");
  if (named.length === 0) throw new Error("a patch that names no file");
  return named;
}

/** The bridge to deferred tools claims what the tool behind it claims; a batch only if it is all remote connectors. */
function bridged(input: Arguments, claims: ReadonlyMap<string, ClaimOf>): Claim {
  const { name, arguments: inner, calls } = input;
  const names = Array.isArray(calls) ? calls.map((call: unknown) => nameOf(call)) : [nameOf(input)];
  if (names.length > 0 && names.every((each) => each.startsWith("connectors__"))) return SHARED;
  if (Array.isArray(calls)) return EXCLUSIVE;
  const claim = typeof name === "string" ? claims.get(name) : undefined;
  return claim === undefined ? EXCLUSIVE : claim(argumentsOf(inner));
}

const nameOf = (call: unknown): string =>
  typeof call === "object" && call !== null && "name" in call && typeof call.name === "string" ? call.name : "";

function argumentsOf(inner: unknown): Arguments {
  const value: unknown = typeof inner === "string" ? JSON.parse(inner) : (inner ?? {});
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Arguments;
  throw new Error("the arguments are not an object");
}
