import { nearestName } from "../protocol/nearest.ts";
import type { NextStep } from "../protocol/result.ts";
import type { Entry, LayerName, Trouble } from "./entry.ts";
import { findKey, isGroup, type Key, KEYS } from "./keys.ts";
import { isSecret, mayBeSecret, nearestValue, readValue, shown, takesInWords } from "./values.ts";

/** A key and what was written for it, not yet judged. */
export interface Written {
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

/** Reads one setting; what is wrong with it is said in one sentence, with what to do. */
export function readEntry(written: Written, correction: Correction): Judged {
  const key = findKey(written.key);
  if (key === undefined) return { type: "trouble", trouble: unknownKey(written, correction) };
  const { layer } = correction;
  if (key.systemOnly === true && layer !== "system")
    return trouble(written, correction, {
      severity: "warning",
      message: `${nameOf(written)} is for the administrator's file alone and is not read here`,
      next: removal(written, correction),
    });
  if (key.takes.type === "secret" ? isNoReference(written.given) : isSecret(textOf(written.given)))
    return { type: "trouble", trouble: literalSecret(written, correction) };
  const value = readValue(key.takes, written.given);
  if (value === undefined) return { type: "trouble", trouble: wrongValue(written, key, correction) };
  return { type: "entry", entry: { key: written.key, value, layer, place: written.place } };
}

/** Whatever a file holds as a key must be fit for a sentence and a terminal. */
const nameOf = ({ name, key }: Written): string => name ?? (isPlain(key) ? key : shown(key));

const isPlain = (key: string): boolean => /^[\w.-]{1,80}$/u.test(key) && !mayBeSecret(key);

/** A flag or a variable is its own place. */
const at = (written: Written): string => (written.place.includes(":") ? `${written.place}: ` : "");

interface Said {
  readonly severity: Trouble["severity"];
  /** Without the full stop. */
  readonly message: string;
  readonly next: readonly NextStep[];
}

const trouble = (written: Written, correction: Correction, said: Said): Judged & { type: "trouble" } => ({
  type: "trouble",
  trouble: {
    severity: said.severity,
    layer: correction.layer,
    place: written.place,
    ...(findKey(written.key) !== undefined && { key: written.key }),
    message: `${at(written)}${said.message}.`,
    next: said.next,
  },
});

function wrongValue(written: Written, key: Key, correction: Correction): Trouble {
  const meant = nearestValue(key.takes, written.given);
  const hint = meant === undefined ? "" : `; perhaps ${JSON.stringify(meant)} was meant`;
  const left = key.lenient === true ? "; what is usual holds" : "";
  const message = `${nameOf(written)} must be ${takesInWords(key.takes)}; it is ${shown(written.given)}${hint}${left}`;
  const severity = key.lenient === true ? "warning" : "error";
  const { command } = correction;
  const next =
    meant === undefined || command === undefined
      ? removal(written, correction)
      : [step(`Set ${key.name} to what was meant`, `${command} set ${key.name} ${meant}`)];
  return trouble(written, correction, { severity, message, next }).trouble;
}

/** Unknown keys are told and stop nothing: a newer program may know them. */
function unknownKey(written: Written, correction: Correction): Trouble {
  if (holdsSecret(written)) return literalSecret(written, correction);
  const meant = nearestKey(written.key);
  const hint = meant === undefined ? "" : `; perhaps ${meant} was meant`;
  const message = isGroup(written.key)
    ? `${written.key} is a group: its settings are written below it, and this is ${shown(written.given)}`
    : `There is no setting ${shown(written.key)}${hint}`;
  return trouble(written, correction, {
    severity: isGroup(written.key) ? "error" : "warning",
    message,
    next: removal(written, correction),
  }).trouble;
}

const textOf = (given: unknown): string => (typeof given === "string" ? given : "");

/** Something that can only be the secret itself. */
const isNoReference = (given: unknown): boolean =>
  (typeof given === "string" && given.trim() !== "" && !given.trimStart().startsWith("{")) || typeof given === "number";

const SECRET_NAME = /(?:key|token|secret|passw(?:or)?d|credential)s?$/iu;

const holdsSecret = ({ key, given }: Written): boolean =>
  isSecret(key) || (typeof given === "string" && (isSecret(given) || (SECRET_NAME.test(key) && given.trim() !== "")));

function literalSecret(written: Written, correction: Correction): Trouble {
  const message = `${nameOf(written)} holds a secret as text, and a config never does; say where it lies: {env: NAME}, {file: PATH}, {cmd: [PROGRAM]} or {secret: NAME}`;
  const [, provider = ""] = /^providers\.([\w-]+)\.apiKey$/u.exec(written.key) ?? [];
  const login = step("Put the key where only you can read it", `evander auth login ${provider}`);
  const next = provider === "" ? removal(written, correction) : [login];
  return trouble(written, correction, { severity: "error", message, next }).trouble;
}

function removal({ key, name }: Written, { layer, command }: Correction): readonly NextStep[] {
  if (layer === "environment") return [step(`Take ${name ?? key} away`, `unset ${name ?? key}`)];
  if (command === undefined) return [];
  if (!isPlain(key)) return [step("Take it out", `${command} edit`)];
  return [step(`Take ${key} out`, `${command} unset ${key}`)];
}

const step = (text: string, command: string): NextStep => ({ do: "configure", text, command });

/** The key that was surely meant: written otherwise, without its group, or with a slip. */
export function nearestKey(written: string): string | undefined {
  const [, provider = "*"] = /^providers\.([\w-]+)\./u.exec(written) ?? [];
  const names = KEYS.map(({ name }) => name.replace("*", provider));
  const plain = (name: string): string => name.replace(/[-_.\s]/gu, "").toLowerCase();
  const same = names.find((name) => plain(name) === plain(written));
  if (same !== undefined) return same;
  const last = names.filter((name) => plain(name.split(".").at(-1) ?? "") === plain(written));
  if (last.length === 1) return last[0];
  return nearestName(written, names);
}
