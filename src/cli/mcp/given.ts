import { dirname, isAbsolute, join, resolve } from "node:path";
import { type McpGiven, readMcpFile } from "../../config/mcp-import.ts";
import { isSecret, type Value } from "../../config/values.ts";
import { readReference } from "../../config/reference.ts";
import { isSecretName } from "../../protocol/environment-names.ts";
import { faultSentence } from "../../words/config.ts";
import { MCP_SAYS, severalInFile } from "../../words/mcp.ts";
import type { Io } from "../io.ts";
import { usageRefusal } from "../refusal.ts";
import type { AddForm } from "./commands.ts";

export interface Named {
  readonly name: string;
  readonly program: readonly string[];
}

/** A server out of a command line, or out of a file that it names. */
export function givenServer({ name, program }: Named, form: AddForm, io: Io): McpGiven {
  const [command, ...args] = program;
  const ways = [form.url, form.from, command].filter((way) => way !== undefined);
  if (ways.length !== 1) throw usageRefusal(MCP_SAYS.oneOfBoth);
  const own = {
    env: pairsIn(form.env, /^(\w+)(?:=(.*))?$/su),
    headers: pairsIn(form.header, /^([\w-]+)\s*:\s*(.+)$/su),
    ...(form.folder !== undefined && { cwd: resolve(io.cwd, form.folder) }),
  };
  if (form.from === undefined)
    return {
      name,
      args,
      ...own,
      ...(command !== undefined && { command }),
      ...(form.url !== undefined && { url: form.url }),
    };
  const found = fromFile(name, resolve(io.cwd, form.from));
  return { ...found, ...own, env: { ...found.env, ...own.env }, headers: { ...found.headers, ...own.headers } };
}

/** `NAME` alone stands for the variable of this name that is set where the program runs. */
function pairsIn(pairs: readonly string[] = [], pattern: RegExp): Readonly<Record<string, string>> {
  const read = pairs.map((pair) => {
    const [, name = "", value] = pattern.exec(pair) ?? [];
    if (name === "") throw usageRefusal(MCP_SAYS.noPair);
    return [name, value ?? `\${${name}}`] as const;
  });
  return Object.fromEntries(read);
}

/** A relative folder is meant from where the file lies. */
function fromFile(name: string, path: string): McpGiven {
  const found = readMcpFile(path);
  if (found.type === "unreadable") throw usageRefusal(faultSentence(found.found.fault, found.found.place));
  if (found.type !== "servers") throw usageRefusal(found.type === "absent" ? MCP_SAYS.noFile : MCP_SAYS.noServers);
  const server = found.servers.find((each) => each.name === name);
  if (server === undefined) throw usageRefusal(severalInFile(found.servers.map((each) => each.name)));
  const { cwd } = server;
  return cwd === undefined || isAbsolute(cwd) || cwd.startsWith("~")
    ? server
    : { ...server, cwd: join(dirname(path), cwd) };
}

/** Settings, and secrets that they refer to: no config holds one itself. */
export interface Written {
  readonly values: ReadonlyMap<string, Value>;
  readonly secrets: ReadonlyMap<string, string>;
}

/** What a secret of a server is called in secrets.json. */
export const secretNames = (name: string): string => `mcp.${name}.`;

export function settingsOf(given: McpGiven, form: AddForm, io: Io): Written {
  const { name, command, args, cwd, url, env, headers } = given;
  const values = new Map<string, Value>();
  const secrets = new Map<string, string>();
  const set = (key: string, value: Value | undefined): void => {
    if (value !== undefined && !(Array.isArray(value) && value.length === 0))
      values.set(`mcp.servers.${name}.${key}`, value);
  };
  set("command", command);
  set("args", args);
  set("cwd", cwd);
  set("url", url);
  for (const [group, all] of [
    ["env", env],
    ["headers", headers],
  ] as const)
    for (const [key, text] of Object.entries(all)) {
      const kept = `${secretNames(name)}${key}`;
      const own = ownValue(key, text);
      if (own === undefined) secrets.set(kept, text);
      set(`${group}.${key}`, own ?? { secret: kept });
    }
  set(
    "writes",
    form.write?.map((folder) => resolve(io.cwd, folder)),
  );
  set("hosts", form.host);
  return { values, secrets };
}

/** As a config may hold it: a text, or where it lies; undefined for a secret. */
function ownValue(name: string, text: string): Value | undefined {
  const [, variable] = /^\$\{(?:env:)?(\w+)\}$/u.exec(text) ?? [];
  if (variable !== undefined) return { env: variable };
  const isNamedSo = isSecretName(name) || /authorization|cookie/iu.test(name);
  return readReference(text) ?? (isNamedSo || isSecret(text) ? undefined : text);
}
