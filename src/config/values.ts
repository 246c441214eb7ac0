import { readAllowance } from "../protocol/allowance-text.ts";
import { isDangerousName } from "../protocol/environment-names.ts";
import { nearestName } from "../protocol/nearest.ts";
import { MOST_PRICE, type Takes, type Written } from "../protocol/setting.ts";
import { isLine, readReference, referenceText, type SecretReference } from "./reference.ts";

/** What a setting is made of, once it was read. */
export type Value = string | number | boolean | readonly string[] | SecretReference;

export const isList = (value: Value): value is readonly string[] => Array.isArray(value);

const SWITCH: ReadonlyMap<string, boolean> = new Map([
  ...["on", "yes", "true", "1", "enabled"].map((word) => [word, true] as const),
  ...["off", "no", "false", "0", "disabled"].map((word) => [word, false] as const),
]);

/** A yes or no as people write it. */
export const readSwitch = (given: unknown): boolean | undefined =>
  typeof given === "boolean" ? given : SWITCH.get(String(given).trim().toLowerCase());

/** The value, from plain data of a file or from the text of a variable or flag; undefined when it cannot be one. */
export function readValue(takes: Takes, given: unknown): Value | undefined {
  switch (takes.type) {
    case "count":
      return readCount(takes, given);
    case "price":
      return readAmount(given, MOST_PRICE);
    case "money":
      return readAmount(given, Number.MAX_VALUE) || undefined;
    case "switch":
      return typeof given === "object" ? undefined : readSwitch(given);
    case "choice":
      return takes.of.find((choice) => choice === given);
    case "text":
      return typeof given === "string" && isLine(given) ? given.trim() : undefined;
    case "files":
    case "names":
    case "words":
    case "models":
      return readList(given);
    case "lines":
      return readLines(given);
    case "given":
      return readReference(given) ?? readLine(given);
    case "variables":
      return readVariables(given);
    case "hosts":
      return readHosts(given);
    case "allowances":
      return readAllowances(given);
    case "address":
      return typeof given === "string" && isAddress(given) ? given.trim() : undefined;
    case "secret":
      return readReference(given);
  }
}

function readCount({ most, endless }: Takes & { type: "count" }, given: unknown): number | undefined {
  if (endless === true && (given === "Infinity" || given === Infinity)) return Infinity;
  const number = typeof given === "string" && /^\d+$/u.test(given) ? Number(given) : given;
  if (typeof number !== "number" || !Number.isSafeInteger(number) || number <= 0) return undefined;
  return most !== undefined && number > most ? undefined : number;
}

function readAmount(given: unknown, most: number): number | undefined {
  const number = typeof given === "string" && /^\d+(?:\.\d+)?(?:e[+-]?\d+)?$/iu.test(given) ? Number(given) : given;
  return typeof number === "number" && number >= 0 && number <= most ? number : undefined;
}

function isAddress(text: string): boolean {
  const url = URL.parse(text.trim());
  return url !== null && /^https?:$/u.test(url.protocol) && url.username === "" && url.password === "";
}

function readList(given: unknown): readonly string[] | undefined {
  const entries: unknown = typeof given === "string" ? writtenList(given) : given;
  if (given === null) return [];
  if (!Array.isArray(entries)) return undefined;
  const texts = entries.filter((entry): entry is string => typeof entry === "string" && isLine(entry));
  return texts.length === entries.length ? texts.map((entry) => entry.trim()) : undefined;
}

const readLine = (given: unknown): string | undefined =>
  typeof given !== "object" && given !== undefined && isLine(String(given as number))
    ? String(given as number)
    : undefined;

/** Numbers are what YAML makes of `8080`. */
function readLines(given: unknown): readonly string[] | undefined {
  if (given === null) return [];
  const entries = Array.isArray(given) ? given : [given];
  const lines = entries.map(readLine).filter((line) => line !== undefined);
  return lines.length === entries.length ? lines : undefined;
}

function readVariables(given: unknown): readonly string[] | undefined {
  const names = readList(given);
  return names?.some(isDangerousName) === true ? undefined : names;
}

/** Letters, digits and hyphens between dots, and no address: what a name means is looked up when it is reached. */
const HOST = /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;

function readHosts(given: unknown): readonly string[] | undefined {
  const hosts = readList(given)?.map((host) => host.toLowerCase());
  return hosts?.every((host) => host.length <= 253 && HOST.test(host)) === true ? hosts : undefined;
}

function readAllowances(given: unknown): readonly string[] | undefined {
  const lines = readList(given);
  return lines?.every((line) => readAllowance(line) !== undefined) === true ? lines : undefined;
}

/** As on a command line, or as in a file: `a,b` or `[a, "b"]`. */
function writtenList(given: string): string[] {
  const [, within] = /^\s*\[(.*)\]\s*$/su.exec(given) ?? [];
  const entries = (within ?? given).split(",").filter((entry) => entry.trim() !== "");
  return within === undefined ? entries : entries.map((entry) => entry.trim().replace(/^(["'])(.*)\1$/su, "$2"));
}

/** The value that was surely meant, where there are few. */
export const nearestValue = (takes: Takes, given: unknown): string | undefined =>
  takes.type === "choice" && typeof given === "string" ? nearestName(given.toLowerCase(), takes.of) : undefined;

const SHOWN_CHARS = 60;

/** What was written, short enough for a sentence; never a secret. */
export function shown(given: unknown): Written {
  if (given === undefined || given === null) return { type: "nothing" };
  if (typeof given === "object") return { type: Array.isArray(given) ? "list" : "group" };
  const text = typeof given === "string" ? given : String(given as number | boolean | bigint);
  if (mayBeSecret(text)) return { type: "hidden" };
  const cut = text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
  return { type: "text", text: typeof given === "string" ? JSON.stringify(cut) : cut };
}

/** How keys of well-known services begin, tokens of three parts, and keys in files. */
const BEGINS =
  /(?:sk-|sk_|rk_|pk_live|xox[abeprs]-|gh[pousr]_|github_pat_|glpat-|AIza|AKIA|ASIA|ya29\.|hf_|gsk_|xai-|npm_|eyJ[\w-]{8,}\.)/u
    .source;
const SECRET = new RegExp(`${BEGINS}[\\w./+-]{8,}|-----BEGIN `, "iu");
/** A name and a password in an address. */
const IN_ADDRESS = /:\/\/[^\s/@:]*:[^\s/@]+@/u;
const AT_A_WORD = new RegExp(`(?:^|[^a-z0-9])(?:${SECRET.source})`, "iu");

/** Surely a secret, where it is refused. What is shown is hidden sooner: `task-force-one` is no secret, and no loss. */
export const isSecret = (text: string): boolean => AT_A_WORD.test(text) || IN_ADDRESS.test(text);
export const mayBeSecret = (text: string): boolean => SECRET.test(text) || IN_ADDRESS.test(text);

/** A value as a person writes it on a command line. */
export function valueText(value: Value): string {
  if (typeof value !== "object") return String(value);
  if (isList(value)) return value.join(",");
  return referenceText(value);
}
