import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, relative, sep } from "node:path";
import fc from "fast-check";
import type { Tool, ToolContext } from "../../src/protocol/tool.ts";
import type { Place } from "../../src/tools/paths.ts";
import { readFileTool } from "../../src/tools/files/read-file.ts";
import { writeFileTool } from "../../src/tools/files/write-file.ts";

/** What random folders and paths made of the file tools. */
export interface PathRounds {
  readonly tried: number;
  readonly read: number;
  readonly written: number;
  /** Where the tools let through what the system says leads out, or through a link. */
  readonly escapes: readonly string[];
  /** Where they refused what the system opens without leaving the folder. */
  readonly refusals: readonly string[];
}

type Mode = "read" | "write";

/** Says whether the system itself opens a path without leaving a folder; for `write` without any link, and one name alone. */
export type Oracle = (folder: string, path: string, mode: Mode) => Promise<boolean>;

/** Case twins, and one name in two forms of Unicode. */
const NAMES = ["a", "A", "b", "\u00E9", "e\u0301", "x y", "..c"];

type Node =
  | { readonly type: "file" | "folder"; readonly at: readonly string[] }
  | { readonly type: "link"; readonly at: readonly string[]; readonly to: string }
  | { readonly type: "hard"; readonly at: readonly string[] };

const name = fc.constantFrom(...NAMES);
const place = fc.array(name, { minLength: 1, maxLength: 3 });
const step = fc.oneof({ weight: 5, arbitrary: name }, { weight: 1, arbitrary: fc.constantFrom("..", ".", "") });
const walk = fc.array(step, { minLength: 1, maxLength: 5 }).map((steps) => steps.join("/"));
const target = fc.oneof(
  { weight: 4, arbitrary: walk },
  { weight: 1, arbitrary: walk.map((path) => `BASE/ws/${path}`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom("../outside", "BASE/outside/secret", "../../outside/secret", "BASE", "..", "."),
  },
);
const node: fc.Arbitrary<Node> = fc.oneof(
  { weight: 3, arbitrary: place.map((at): Node => ({ type: "file", at })) },
  { weight: 3, arbitrary: place.map((at): Node => ({ type: "folder", at })) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("link" as const), at: place, to: target }) },
  { weight: 1, arbitrary: place.map((at): Node => ({ type: "hard", at })) },
);
const asked = fc.oneof(
  { weight: 6, arbitrary: walk },
  { weight: 2, arbitrary: walk.map((path) => `BASE/ws/${path}`) },
  { weight: 1, arbitrary: fc.constantFrom("../outside/secret", "BASE/ws-twin/secret", "BASE/outside/secret", "..") },
);
/** One that is there, or below one; a link is the most telling. */
const known = fc.record({
  which: fc.nat(),
  below: fc.oneof(
    fc.constant(""),
    name.map((each) => `/${each}`),
  ),
});
const round = fc.record({
  nodes: fc.array(node, { minLength: 1, maxLength: 10 }),
  paths: fc.array(asked, { minLength: 2, maxLength: 2 }),
  known: fc.array(known, { minLength: 4, maxLength: 4 }),
});

/** Makes random folders with links, hard links and twins, and works with random paths in them. */
export async function pathRounds(trees: number, seed: number, oracle: Oracle = systemOracle): Promise<PathRounds> {
  const rounds = { tried: 0, read: 0, written: 0, escapes: [] as string[], refusals: [] as string[] };
  for (const { nodes, paths, known } of fc.sample(round, { numRuns: trees, seed })) {
    const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "evander-trees-")));
    try {
      build(base, nodes);
      const there = known.map(({ which, below }) => (nodes[which % nodes.length]?.at ?? []).join("/") + below);
      for (const path of [...there, ...paths]) await tryPath(base, path.replace("BASE", base), { oracle, rounds });
    } finally {
      fs.rmSync(base, { recursive: true, force: true });
    }
  }
  return rounds;
}

function build(base: string, nodes: readonly Node[]): void {
  for (const folder of ["ws", "outside", "ws-twin", "home"]) fs.mkdirSync(join(base, folder));
  for (const folder of ["outside", "ws-twin"]) fs.writeFileSync(join(base, folder, "secret"), "CANARY");
  fs.writeFileSync(join(base, "outside", "shared"), "SHARED");
  for (const each of nodes) {
    // What does not fit together with what is there is left out.
    try {
      make(base, each);
    } catch {}
  }
}

function make(base: string, each: Node): void {
  const path = join(base, "ws", ...each.at);
  fs.mkdirSync(join(path, ".."), { recursive: true });
  switch (each.type) {
    case "file":
      return fs.writeFileSync(path, `inside ${each.at.join("/")}`, { flag: "wx" });
    case "folder":
      return fs.mkdirSync(path);
    case "link":
      return fs.symlinkSync(each.to.replace("BASE", base) || ".", path);
    case "hard":
      return fs.linkSync(join(base, "outside", "shared"), path);
  }
}

interface Trying {
  readonly oracle: Oracle;
  readonly rounds: {
    tried: number;
    read: number;
    written: number;
    readonly escapes: string[];
    readonly refusals: string[];
  };
}

async function tryPath(base: string, path: string, { oracle, rounds }: Trying): Promise<void> {
  const place: Place = { cwd: join(base, "ws"), home: join(base, "home"), guarded: [] };
  const before = outside(base);
  const story = (what: string): string => `${what}: ${JSON.stringify(path)} in ${listing(base)}`;
  for (const mode of ["read", "write"] as const) {
    // Of a folder its names are told, which is no file that is opened.
    if (mode === "read" && isFolderIn(place.cwd, path)) continue;
    const allowed = await oracle(place.cwd, path, mode);
    const done = await attempt(mode === "read" ? readFileTool(place) : writeFileTool(place), path);
    rounds.tried += 1;
    rounds[mode === "read" ? "read" : "written"] += Number(done !== undefined);
    const isEscape = done !== undefined && (!allowed || done.includes("CANARY"));
    if (isEscape || outside(base) !== before) rounds.escapes.push(story(mode));
    if (done === undefined && allowed) rounds.refusals.push(story(mode));
  }
}

function isFolderIn(folder: string, path: string): boolean {
  try {
    const real = fs.realpathSync.native(isAbsolute(path) ? path : folder + sep + path);
    return `${real}${sep}`.startsWith(folder + sep) && fs.statSync(real).isDirectory();
  } catch {
    return false;
  }
}

/** Undefined when it was refused. */
async function attempt(tool: Tool, path: string): Promise<string | undefined> {
  const signal = new AbortController().signal;
  const context: ToolContext = { callId: "c", sessionId: "s", history: [], signal, output: () => {} };
  try {
    return String(await tool.run({ path, content: "WRITTEN", overwrite: true }, context));
  } catch {
    return undefined;
  }
}

const outside = (base: string): string =>
  ["outside", "ws-twin"].flatMap((folder) => namesBelow(join(base, folder), true)).join();

const listing = (base: string): string =>
  namesBelow(join(base, "ws"), false)
    .map((path) => relative(base, path))
    .join(", ");

/** Not by the recursive reading of Node, which goes through links, also in a circle. */
function namesBelow(folder: string, withTexts: boolean): string[] {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return [path, ...namesBelow(path, withTexts)];
    if (entry.isSymbolicLink()) return [`${path} -> ${fs.readlinkSync(path)}`];
    return [withTexts ? `${path} ${fs.readFileSync(path, "utf8")}` : path];
  });
}

/** What the system makes of a path, part by part. */
async function systemOracle(folder: string, path: string, mode: Mode): Promise<boolean> {
  const full = isAbsolute(path) ? path : folder + sep + path;
  return mode === "read" ? isReadable(folder, full) : isWritable(folder, full);
}

function isReadable(folder: string, full: string): boolean {
  try {
    const real = fs.realpathSync.native(full);
    return real.startsWith(folder + sep) && fs.statSync(real).isFile();
  } catch {
    return false;
  }
}

/** No part may be a link, the last one a file with one name, or nothing. */
function isWritable(folder: string, full: string): boolean {
  const parts = full.split(sep).filter((part) => part !== "" && part !== ".");
  let at: string = sep;
  for (const [index, part] of parts.entries()) {
    if (part === ".." && entryAt(at) === undefined) return false;
    at = join(at, part);
    const isLast = index === parts.length - 1 && !/\/\.?$/.test(full);
    if (entryAt(at)?.isDirectory() === false && !isLast) return false;
  }
  const stats = entryAt(at);
  // Of a link it says that it is no file.
  const mayStand = stats === undefined ? !full.endsWith(sep) : stats.isFile() && stats.nlink === 1;
  return at.startsWith(folder + sep) && mayStand;
}

function entryAt(path: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(path);
  } catch {
    return undefined;
  }
}
