import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { childEnvironment, OF_DESKTOP } from "../protocol/child-environment.ts";
import { isObject } from "../protocol/json.ts";
import { whyNotPrivate } from "../protocol/private-file.ts";
import { readText } from "./config-file.ts";
import type { SecretReference } from "./reference.ts";

/** A secret that cannot be had; the message is one sentence and holds nothing of any secret. */
export class SecretError extends Error {
  override readonly name = "SecretError";
}

/** Where secrets may lie. */
export interface SecretPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folders with a secrets.json, the nearest first. */
  readonly folders: readonly string[];
}

/** A password manager that asks its user takes no longer, ms. */
const COMMAND_MS = 30_000;
/** No key is longer, bytes. */
const MOST_BYTES = 65_536;

/** Gets the secret itself; called when it is needed, and not before. Throws SecretError. */
export async function readSecret(reference: SecretReference, places: SecretPlaces): Promise<string> {
  const secret = (await lookUp(reference, places)).trim();
  if (secret === "") throw new SecretError(`${nameOf(reference)} is empty.`);
  return secret;
}

function nameOf(reference: SecretReference): string {
  if ("env" in reference) return `The variable ${reference.env}`;
  if ("file" in reference) return `The file ${reference.file}`;
  if ("secret" in reference) return `The secret ${reference.secret}`;
  return `What ${reference.cmd[0] ?? ""} prints`;
}

function lookUp(reference: SecretReference, { env, folders }: SecretPlaces): string | Promise<string> {
  if ("env" in reference) {
    const value = env[reference.env];
    if (value === undefined) throw new SecretError(`The variable ${reference.env} is not set.`);
    return value;
  }
  if ("file" in reference) return ofFile(reference.file);
  return "secret" in reference ? keptSecret(reference.secret, folders) : ofCommand(reference.cmd, env);
}

function ofFile(path: string): string {
  const found = readText(path);
  if (found.type === "text") return found.text;
  throw new SecretError(
    found.type === "absent"
      ? `The file ${path} does not exist.`
      : `The file ${path} cannot be read as a key (${found.fault.type}).`,
  );
}

/** What managers of passwords find their stores and sessions by: they get no keys of models. */
const OF_MANAGERS =
  "PASSWORD_STORE_* GNUPGHOME GPG_TTY GPG_AGENT_INFO BW_* BITWARDENCLI_* OP_* VAULT_* KEEPASS* SOPS_* AWS_PROFILE AWS_REGION CLOUDSDK_CONFIG".split(
    " ",
  );

/** What it says besides the secret is not shown: it may be the secret. */
function ofCommand([program = "", ...args]: readonly string[], own: SecretPlaces["env"]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const env = childEnvironment(own, [...OF_DESKTOP, ...OF_MANAGERS]);
  const options = { env, timeout: COMMAND_MS, maxBuffer: MOST_BYTES, encoding: "utf8" } as const;
  const child = execFile(program, args, options, (error, stdout) => {
    if (error === null) return resolve(stdout);
    const why =
      error.killed === true ? `did not answer in ${COMMAND_MS / 1_000} s` : `failed (${String(error.code ?? "")})`;
    return reject(new SecretError(`The program ${program}, which prints a secret, ${why}.`));
  });
  child.stdin?.end();
  return promise;
}

const fileOf = (folder: string): string => join(folder, "secrets.json");

function keptSecret(name: string, folders: readonly string[]): string {
  for (const folder of folders) {
    const secret = keptSecrets(folder).get(name);
    if (secret !== undefined) return secret;
  }
  throw new SecretError(`There is no secret ${name}: evander auth login ${name} keeps one.`);
}

/** The secrets that are kept in a folder, by name. Throws SecretError where others could have read or changed them. */
export function keptSecrets(folder: string): ReadonlyMap<string, string> {
  const path = fileOf(folder);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return new Map();
  // A pipe would be waited for.
  if (!found.isFile()) throw new SecretError(`${path} is no file.`);
  const why = whyNotPrivate(path, found, process);
  if (why !== undefined) throw new SecretError(why.message);
  return new Map(
    Object.entries(parse(path)).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function parse(path: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (isObject(parsed)) return parsed;
  } catch {
    // What the parser says quotes the text.
  }
  throw new SecretError(`${path} is no JSON object of secrets by name.`);
}

/** Keeps a secret, or takes it away when it is undefined; the file is its owner's alone. Throws SecretError. */
export function keepSecret(folder: string, name: string, secret: string | undefined): void {
  const secrets = new Map(keptSecrets(folder));
  if (secret === undefined) secrets.delete(name);
  else secrets.set(name, secret);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${fileOf(folder)}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(Object.fromEntries(secrets), undefined, 2)}\n`, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, fileOf(folder));
}
