import { isDangerousName, isSecretName } from "../protocol/environment-names.ts";
import { nearestName } from "../protocol/nearest.ts";
import type { ConfigFix, ConfigProblem, Written } from "../protocol/setting.ts";
import type { Entry, LayerName, Trouble } from "./entry.ts";
import { findKey, isGroup, type Key, KEYS, namedIn } from "./keys.ts";
import { isSecret, mayBeSecret, nearestValue, readValue, shown } from "./values.ts";

/** A key and what was given for it, not yet judged. */
export interface Given {
  readonly key: string;
  readonly given: unknown;
  readonly place: string;
  /** How whoever wrote it knows it: the name of the flag or the variable; the key itself when absent. */
  readonly name?: string;
}

/** Where a layer can be put right. */
export interface Correction {
  readonly layer: LayerName;
  /** The command that sets a key there, up to `set` and `unset`; absent where no command writes. */
  readonly command?: string;
}

export type Judged =
  | { readonly type: "entry"; readonly entry: Entry }
  | { readonly type: "trouble"; readonly trouble: Trouble };

/** Reads one setting, or says what is wrong with it and what puts it right. */
export function readEntry(given: Given, correction: Correction): Judged {
  const key = findKey(given.key);
  if (key === undefined) return trouble(given, correction, unknownKey(given, correction));
  const { layer } = correction;
  if (key.systemOnly === true && layer !== "system")
    return trouble(given, correction, {
      severity: "warning",
      problem: { type: "system-only", name: given.key },
      fix: removal(given, correction),
    });
  if (isSecretText(given, key)) return trouble(given, correction, literalSecret(given, correction));
  const value = isBarred(given.key) ? undefined : readValue(key.takes, given.given);
  if (value === undefined) return trouble(given, correction, wrongValue(given, key, correction));
  return { type: "entry", entry: { key: given.key, value, layer, place: given.place } };
}

function isSecretText({ key, given }: Given, { takes }: Key): boolean {
  if (takes.type === "secret") return isNoReference(given);
  if (takes.type === "lines") return [given].flat().some((line) => isSecret(textOf(line)));
  return isSecret(textOf(given)) || (takes.type === "given" && isSecretGiven(lastOf(key)) && isNoReference(given));
}

const isSecretGiven = (name: string): boolean => isSecretName(name) || /^(?:proxy-)?authorization$/iu.test(name);

const lastOf = (key: string): string => key.slice(key.lastIndexOf(".") + 1);

/** What nobody sets for a program of others, nor for a request (security §3.1 C5). */
const isBarred = (key: string): boolean =>
  (/^mcp\.servers\.[^.]+\.env\./u.test(key) && isDangerousName(lastOf(key))) ||
  /^mcp\.servers\.[^.]+\.headers\.(?:host|connection|content-length|transfer-encoding|cookie|proxy-.*|mcp-.*)$/iu.test(
    key,
  );

/** Whatever a file holds as a key must be fit for a sentence and a terminal. */
const keyShown = (key: string): Written => (isPlain(key) ? { type: "text", text: key } : shown(key));

const isPlain = (key: string): boolean => /^[\w./:@-]{1,120}$/u.test(key) && !mayBeSecret(key);

interface Found {
  readonly severity: Trouble["severity"];
  readonly problem: ConfigProblem;
  readonly fix: ConfigFix | undefined;
}

const trouble = (given: Given, { layer }: Correction, { fix, ...found }: Found): Judged => ({
  type: "trouble",
  trouble: {
    layer,
    place: given.place,
    ...found,
    ...(findKey(given.key) !== undefined && { key: given.key }),
    ...(fix !== undefined && { fix }),
  },
});

function wrongValue(given: Given, key: Key, correction: Correction): Found {
  const meant = nearestValue(key.takes, given.given);
  const { command } = correction;
  const lenient = key.lenient === true;
  const problem: ConfigProblem = {
    type: "wrong-value",
    name: given.name ?? given.key,
    takes: key.takes,
    written: shown(given.given),
    lenient,
    ...(meant !== undefined && { meant }),
  };
  const fix =
    meant === undefined || command === undefined
      ? removal(given, correction)
      : ({ type: "set", name: given.key, command: `${command} set ${given.key} ${meant}` } as const);
  return { severity: lenient ? "warning" : "error", problem, fix };
}

/** Unknown keys are told and stop nothing: a newer program may know them. */
function unknownKey(given: Given, correction: Correction): Found {
  if (holdsSecret(given)) return literalSecret(given, correction);
  const fix = removal(given, correction);
  if (isGroup(given.key))
    return { severity: "error", problem: { type: "not-a-value", key: given.key, written: shown(given.given) }, fix };
  const meant = nearestKey(given.key);
  const problem = { type: "unknown-key", key: shown(given.key), ...(meant !== undefined && { meant }) } as const;
  return { severity: "warning", problem, fix };
}

const textOf = (given: unknown): string => (typeof given === "string" ? given : "");

/** Something that can only be the secret itself. */
const isNoReference = (given: unknown): boolean =>
  (typeof given === "string" && given.trim() !== "" && !given.trimStart().startsWith("{")) || typeof given === "number";

const SECRET_NAME = /(?:key|token|secret|passw(?:or)?d|credential)s?$/iu;

const holdsSecret = ({ key, given }: Given): boolean =>
  isSecret(key) || (typeof given === "string" && (isSecret(given) || (SECRET_NAME.test(key) && given.trim() !== "")));

function literalSecret(given: Given, correction: Correction): Found {
  const [, provider] = /^providers\.([\w-]+)\.apiKey$/u.exec(given.key) ?? [];
  const login = { type: "login", name: provider ?? "", command: `evander auth login ${provider}` } as const;
  const fix = provider === undefined ? removal(given, correction) : login;
  const name: Written = given.name === undefined ? keyShown(given.key) : { type: "text", text: given.name };
  return { severity: "error", problem: { type: "secret", name }, fix };
}

function removal({ key, name }: Given, { layer, command }: Correction): ConfigFix | undefined {
  if (layer === "environment") {
    const variable = name ?? key;
    return { type: "unset-variable", name: variable, command: `unset ${variable}` };
  }
  if (command === undefined) return undefined;
  if (!isPlain(key)) return { type: "edit", name: "it", command: `${command} edit` };
  return { type: "unset", name: key, command: `${command} unset ${key}` };
}

/** The key that was surely meant: written otherwise, without its group, or with a slip. */
export function nearestKey(written: string): string | undefined {
  const named = namedIn(written);
  const [group = ""] = written.split(".", 1);
  const names = KEYS.map(({ name }) => (name.startsWith(`${group}.`) ? name.replace("*", named ?? "*") : name));
  const plain = (name: string): string => name.replace(/[-_.\s]/gu, "").toLowerCase();
  const same = names.find((name) => plain(name) === plain(written));
  // What is wrong with it is then the name of the provider.
  if (same === written) return undefined;
  if (same !== undefined) return same;
  const last = names.filter((name) => plain(name.split(".").at(-1) ?? "") === plain(written));
  if (last.length === 1) return last[0];
  const slip = nearestName(plain(written), names.map(plain));
  return slip === undefined ? undefined : names.find((name) => plain(name) === slip);
}
