import { resolve } from "node:path";
import type { Config } from "../../config/config.ts";
import { type ConfigFile, readConfigText, readText } from "../../config/config-file.ts";
import { type Edited, newConfig, setInText, unsetInText, writeConfig } from "../../config/edit.ts";
import { LAYERS } from "../../config/entry.ts";
import type { Key } from "../../config/keys.ts";
import { readEntry } from "../../config/read-entry.ts";
import { lockOver } from "../../config/resolve.ts";
import { isList, type Value, valueText } from "../../config/values.ts";
import { printable } from "../../session/plain-text.ts";
import { faultSentence } from "../../words/config.ts";
import { CONFIG_STEPS, CONFIG_WORDS, editFaultSentence } from "../../words/config-commands.ts";
import type { Text } from "../../words/language.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { openInEditor } from "../own-editor.ts";
import { shellWord } from "../../words/steps.ts";
import { RefusalError, usageRefusal } from "../refusal.ts";
import type { Changing } from "./commands.ts";
import { configDraft } from "./draft.ts";
import { existingKey, lookHere } from "./look.ts";
import { checkConfig } from "./show.ts";
import { troubleSteps, troubleText } from "./trouble.ts";

type Change = Asked & Pick<Changing, "dryRun">;

/** `evander config set KEY VALUE`: in the config of the profile, or in that of the user. */
export async function setSetting(name: string, given: string, asked: Change): Promise<void> {
  const { io } = asked;
  const key = existingKey(name, "set", ` ${shellWord(given)}`);
  const config = await lookHere(io);
  const file = ownFile(config);
  await writeSetting(config, { asked, name, value: readGiven(name, given, { file, key, folder: io.cwd }) });
}

interface Setting {
  readonly asked: Change;
  readonly name: string;
  /** Null takes it out. */
  readonly value: Value | null;
}

/** Writes one setting where its user's commands write, unless the administrator has locked it. */
export async function writeSetting(config: Config, { asked, name, value }: Setting): Promise<void> {
  const file = ownFile(config);
  const lock = lockOver(name, config.entries);
  if (lock !== undefined)
    throw new RefusalError({ reason: "config_invalid", message: CONFIG_WORDS.locked(name, lock.place) });
  const edit = async (text: string): Promise<Edited> => {
    if (value !== null) return setInText(text, name, value);
    return (await unsetInText(text, name)) ?? { type: "refused", fault: { type: "not-set", key: name } };
  };
  await change(asked, { file, key: name, value, edit });
  const winner = config.entries.get(name);
  if (value !== null && winner !== undefined && LAYERS.indexOf(winner.layer) > LAYERS.indexOf(file.layer))
    say(asked.io.stderr, printable(CONFIG_WORDS.shadowed(name, winner.place)[asked.language]));
}

/** Writes several settings at once where commands write, and tells nobody; null takes one out, or a group of them. */
export async function writeSettings(
  config: Config,
  values: ReadonlyMap<string, Value | null>,
): Promise<Pick<ConfigFile, "path">> {
  const file = ownFile(config);
  const locked = [...values.keys()].map((name) => lockOver(name, config.entries)).find((lock) => lock !== undefined);
  if (locked !== undefined)
    throw new RefusalError({ reason: "config_invalid", message: CONFIG_WORDS.locked(locked.key, locked.place) });
  let text = textOf(file) ?? newConfig();
  for (const [name, value] of values) {
    const edited = value === null ? await unsetInText(text, name) : await setInText(text, name, value);
    if (edited?.type === "refused") throw refused(file, editFaultSentence(edited.fault));
    text = edited?.text ?? text;
  }
  writeConfig(file.path, text);
  return file;
}

/** `evander config unset KEY`; a key that no setting is can be taken out as well. */
export async function unsetSetting(name: string, asked: Change): Promise<void> {
  await writeSetting(await lookHere(asked.io), { asked, name, value: null });
}

/** The file that commands write. */
function ownFile({ files }: Config): ConfigFile {
  const file = files.findLast(({ layer }) => layer === "user" || layer === "profile");
  if (file === undefined) throw new Error("a config has a file of its user");
  return file;
}

interface Target {
  readonly file: ConfigFile;
  readonly key: Key;
  readonly folder: string;
}

/** A path is meant from where the command is run, and a file holds it whole. */
function readGiven(name: string, given: string, { file, key, folder }: Target): Value {
  const written = { key: name, given, place: "value" };
  const judged = readEntry(written, { layer: file.layer, command: file.command ?? "evander config" });
  if (judged.type === "trouble") {
    const { trouble } = judged;
    const steps = trouble.fix?.type === "unset" ? [] : troubleSteps(trouble);
    throw usageRefusal(troubleText(trouble), { steps });
  }
  const { value } = judged.entry;
  if (typeof value !== "object") return value;
  if (isList(value)) return key.takes.type === "files" ? value.map((path) => resolve(folder, path)) : value;
  return "file" in value ? { file: resolve(folder, value.file) } : value;
}

interface Edit {
  readonly file: ConfigFile;
  readonly key: string;
  readonly value: Value | null;
  readonly edit: (text: string) => Promise<Edited>;
}

function textOf(file: ConfigFile): string | undefined {
  const found = readText(file.path);
  if (found.type === "unreadable") throw refused(file, faultSentence(found.fault, found.place));
  return found.type === "text" ? found.text : undefined;
}

async function change(asked: Change, wanted: Edit): Promise<void> {
  const { file, key, value, edit } = wanted;
  const before = textOf(file);
  const edited = await edit(before ?? newConfig());
  if (edited.type === "refused") throw refused(file, editFaultSentence(edited.fault));
  const { entries } = await readConfigText(file, edited.text, asked.io.home);
  // Somebody else may have changed it meanwhile: what they wrote is kept.
  if (textOf(file) !== before) return change(asked, wanted);
  if (asked.dryRun !== true) writeConfig(file.path, edited.text);
  const place = entries.find((entry) => entry.key === key)?.place ?? file.path;
  const shown = value === Infinity ? "Infinity" : value;
  tell(asked, { key, value: shown, file: file.path, place });
}

interface Told {
  readonly key: string;
  readonly value: Value | null;
  readonly file: string;
  readonly place: string;
}

function tell({ io, json, language, dryRun = false }: Change, told: Told): void {
  if (json) return sayJson(io, { ...told, dryRun });
  const { key, value, file, place } = told;
  const line = value === null ? CONFIG_WORDS.takenOut(key, file)[language] : `${key}: ${valueText(value)}  # ${place}`;
  say(io.stdout, printable(dryRun ? `${line} ${CONFIG_WORDS.notWritten[language]}` : line));
}

const refused = ({ path, command = "evander config" }: ConfigFile, why: Text): RefusalError =>
  new RefusalError({
    reason: "config_invalid",
    message: CONFIG_WORDS.notChanged(path, why),
    steps: [CONFIG_WORDS.byHand(command)],
  });

/** `evander config edit`: a person's own editor, then a check. A file that is not there yet lists every setting. */
export async function editConfig(asked: Asked): Promise<number> {
  const { io } = asked;
  const file = ownFile(await lookHere(io));
  if (io.stdin.isTTY !== true) throw usageRefusal(CONFIG_WORDS.noTerminal(file.path), { steps: [CONFIG_STEPS.check] });
  if (readText(file.path).type === "absent") writeConfig(file.path, configDraft());
  await openInEditor(file.path, io);
  return checkConfig(asked);
}
