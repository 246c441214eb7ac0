import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { EXTENSION_LIMIT_MS } from "../protocol/extension.ts";
import { isObject } from "../protocol/json.ts";
import { reasonOf } from "../protocol/reason-of.ts";
import { EFFECTS, type Tool } from "../protocol/tool.ts";
import { importWithin } from "./load.ts";

export interface ToolFiles {
  /** Files, folders or packages that a person has named. */
  readonly named: readonly string[];
  /** Relative ones lie here. */
  readonly cwd: string;
  /** The person's own: all tool files of its `tools` are loaded, and packages are those installed in it. */
  readonly configFolder: string | undefined;
  readonly limitMs?: number;
}

export interface LoadedTool {
  readonly tool: Tool;
  /** The file it comes from. */
  readonly source: string;
}

export interface LoadedTools {
  readonly tools: readonly LoadedTool[];
  /** One sentence for each file or tool that could not be used. */
  readonly troubles: readonly string[];
}

/** Loads tools of a person's own. `taken`: names that are in use. What cannot be used is named and passed over. */
export async function loadTools(
  { named, cwd, configFolder, limitMs = EXTENSION_LIMIT_MS }: ToolFiles,
  taken: readonly string[],
): Promise<LoadedTools> {
  const owners = new Map(taken.map((name) => [name, "the program itself"]));
  const tools: LoadedTool[] = [];
  const troubles: string[] = [];
  for (const file of filesOf({ named, cwd, configFolder })) {
    const { path } = file;
    for (const found of await toolsOf(file, limitMs)) {
      const owner = "trouble" in found ? undefined : owners.get(found.tool.name);
      if ("trouble" in found) troubles.push(`The tool file ${path} is not used: ${found.trouble}.`);
      else if (owner === undefined) tools.push({ ...found, source: path });
      else troubles.push(`The tool ${found.tool.name} of ${path} is not used: ${owner} has one of that name.`);
      if ("tool" in found && owner === undefined) owners.set(found.tool.name, path);
    }
  }
  return { tools, troubles };
}

type Found = { readonly tool: Tool } | { readonly trouble: string };

/** All tools of one file, or the trouble with it. */
async function toolsOf({ path, why }: ToolFile, limitMs: number): Promise<readonly Found[]> {
  try {
    if (why !== undefined) return [{ trouble: why }];
    return toolsIn(await importWithin(path, limitMs)).map((tool) => ({ tool }));
  } catch (error) {
    const [line = ""] = reasonOf(error).split("\n", 1);
    return [{ trouble: line.replace(/\.$/u, "") }];
  }
}

/** `why`: it must not be loaded. */
interface ToolFile {
  readonly path: string;
  readonly why?: string;
}

function filesOf({ named, cwd, configFolder }: Omit<ToolFiles, "limitMs">): ToolFile[] {
  const own = configFolder === undefined ? [] : filesIn(join(configFolder, "tools")).map(ownFile);
  const files = [...own, ...named.flatMap((name) => namedFiles(name, { cwd, configFolder }))];
  return [...new Map(files.map((file) => [file.path, file])).values()];
}

const TOOL_FILE = /^[^.].*(?<!\.d)\.(?:js|mjs|ts|mts)$/u;

/** In the order of their names. */
function filesIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => TOOL_FILE.test(name));
    return names.toSorted().map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** What lies there unasked must be the person's: whoever else can write it could make us run anything. */
function ownFile(path: string): ToolFile {
  const stats = statSync(path, { throwIfNoEntry: false });
  const isOthers = stats !== undefined && process.getuid !== undefined && ![process.getuid(), 0].includes(stats.uid);
  const isOpen = process.platform !== "win32" && ((stats?.mode ?? 0) & 0o022) !== 0;
  return isOthers || isOpen ? { path, why: "others on this machine can change it" } : { path };
}

/** A path, else a package that is installed in the config folder. */
function namedFiles(name: string, { cwd, configFolder }: Pick<ToolFiles, "cwd" | "configFolder">): ToolFile[] {
  const path = resolve(cwd, name);
  const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
  const installed = configFolder === undefined ? path : join(configFolder, "node_modules", name);
  const place = isThere || statSync(installed, { throwIfNoEntry: false }) === undefined ? path : installed;
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) return [{ path: place }];
  const entry = entryOf(place);
  if (entry !== undefined) return [{ path: entry }];
  const files = filesIn(place).map((file) => ({ path: file }));
  return files.length > 0 ? files : [{ path: place, why: "no .js, .mjs or .ts file lies in that folder" }];
}

/** What a package says of itself. */
function entryOf(folder: string): string | undefined {
  try {
    const about: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    if (!isObject(about)) return undefined;
    const main = about["exports"] ?? about["main"];
    const entry = target(isObject(main) && "." in main ? main["."] : main);
    return entry === undefined ? undefined : join(folder, entry);
  } catch {
    return undefined;
  }
}

function target(entry: unknown): string | undefined {
  if (typeof entry === "string") return entry;
  return isObject(entry) ? target(entry["import"] ?? entry["node"] ?? entry["default"]) : undefined;
}

/** Throws for a module that holds no tools, or something that cannot be one. */
function toolsIn(module: unknown): Tool[] {
  const exported = isObject(module) ? (module["tools"] ?? module["default"]) : undefined;
  if (exported === undefined) throw new Error("it exports neither tools nor a default");
  const list: unknown[] = Array.isArray(exported) ? exported : [exported];
  return list.map(checked);
}

const isEffect = (effect: unknown): boolean => typeof effect === "function" || EFFECTS.some((each) => each === effect);
const CONCURRENCIES: readonly unknown[] = ["shared", "exclusive", "paths"];

/** As others write it; the careful choice where it says nothing. */
function checked(item: unknown): Tool {
  if (!isObject(item)) throw new Error("what it exports is no tool");
  const { name, description, parameters, run, effect = "effect", concurrency = "exclusive" } = item;
  if (typeof name !== "string" || !/^[\w-]{1,64}$/u.test(name))
    throw new Error('a tool has no name of 1 to 64 letters, digits, "_" or "-"');
  if (typeof description !== "string") throw new Error(`the tool ${name} has no description`);
  if (!isObject(parameters) || parameters["type"] !== "object")
    throw new Error(`the parameters of the tool ${name} are no JSON Schema of an object`);
  if (typeof run !== "function") throw new Error(`the tool ${name} has no function run`);
  if (!isEffect(effect)) throw new Error(`the effect of the tool ${name} is none of ${EFFECTS.join(", ")}`);
  if (!CONCURRENCIES.includes(concurrency))
    throw new Error(`the concurrency of the tool ${name} is none of ${CONCURRENCIES.join(", ")}`);
  return { ...item, effect, concurrency } as Tool;
}
