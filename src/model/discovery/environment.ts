import { readFileSync, statSync } from "node:fs";
import { type Hosted, HOSTED, UNSUPPORTED, type Unsupported } from "./catalogue.ts";
import { withoutSlash } from "../../protocol/base-url.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A hosted provider whose key is there. */
export interface Candidate {
  readonly entry: Hosted;
  readonly apiKey: string;
  /** The variable, with the file it stands in where it is not the environment's own. */
  readonly keySource: string;
  /** Undefined while `missing` is not set. */
  readonly baseUrl: string | undefined;
  /** The variable without which there is no address. */
  readonly missing: string | undefined;
}

/** The value of a variable; white space alone is nothing. */
export function said(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  return trimmed === "" ? undefined : trimmed;
}

/** All hosted providers with a key in these variables, in the order of the catalogue. `file`: where they stand. */
export const candidatesIn = (env: Environment, file?: string): Candidate[] =>
  HOSTED.flatMap((entry) => {
    const candidate = candidateOf(entry, env, file);
    return candidate === undefined ? [] : [candidate];
  });

export function candidateOf(entry: Hosted, env: Environment, file?: string): Candidate | undefined {
  const variable = entry.keys.find((key) => said(env[key]) !== undefined);
  const apiKey = variable === undefined ? undefined : keyIn(env, variable, entry.signing);
  if (variable === undefined || apiKey === undefined) return undefined;
  return {
    entry,
    apiKey,
    keySource: file === undefined ? variable : `${variable} in ${file}`,
    ...addressOf(entry, variable, env),
  };
}

/** The key, with what signs with it behind it; undefined while some of it is missing. */
function keyIn(env: Environment, variable: string, [secret, ...more]: readonly string[] = []): string | undefined {
  const key = said(env[variable]);
  if (secret === undefined || key === undefined) return key;
  const signing = said(env[secret]);
  if (signing === undefined) return undefined;
  return [key, signing, ...more.flatMap((name) => said(env[name]) ?? [])].join(":");
}

function addressOf(
  { baseUrl, ending = "" }: Hosted,
  keyVariable: string,
  env: Environment,
): Pick<Candidate, "baseUrl" | "missing"> {
  const own = keyVariable.endsWith("_API_KEY") ? said(env[keyVariable.replace(/_API_KEY$/u, "_BASE_URL")]) : undefined;
  if (own !== undefined) return { baseUrl: withEnding(own, ending), missing: undefined };
  let missing: string | undefined;
  const filled = baseUrl.replace(/\{([\w|]+)\}/gu, (_all, names: string) => {
    const variables = names.split("|");
    const value = variables.map((name) => said(env[name])).find((found) => found !== undefined);
    if (value === undefined) missing = variables[0];
    return value ?? "";
  });
  return missing === undefined ? { baseUrl: withEnding(filled, ending), missing } : { baseUrl: undefined, missing };
}

function withEnding(url: string, ending: string): string {
  const bare = withoutSlash(url);
  return bare.endsWith(ending) ? bare : `${bare}${ending}`;
}

export interface UnsupportedFound {
  readonly entry: Unsupported;
  readonly variable: string;
}

export const unsupportedIn = (env: Environment): UnsupportedFound[] =>
  UNSUPPORTED.flatMap((entry) => {
    const variable = entry.variables.find((name) => said(env[name]) !== undefined);
    return variable === undefined ? [] : [{ entry, variable }];
  });

/**
 * The variables of a `.env` file: `NAME=value` lines, `export` and quotes as shells write them. Nothing is expanded.
 * Only for a folder that is trusted.
 */
export function parseDotEnv(text: string): Environment {
  const pairs = [...text.matchAll(/^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(.*)$/gmu)];
  return Object.fromEntries(pairs.map(([, name = "", value = ""]) => [name, unquoted(value.trim())]));
}

/** Bytes. What is larger holds more than names and values. */
const MOST_BYTES = 1024 * 1024;

/** The same of a small file; undefined when it cannot be read. A pipe or a device may never end, and is not opened. */
export function readDotEnv(path: string): Environment | undefined {
  try {
    const found = statSync(path);
    if (!found.isFile() || found.size > MOST_BYTES) return undefined;
    return parseDotEnv(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

function unquoted(value: string): string {
  const [, quoted] = /^"([^"]*)"|^'([^']*)'/u.exec(value)?.filter((part) => part !== undefined) ?? [];
  return quoted ?? value.replace(/\s+#.*$/u, "");
}
