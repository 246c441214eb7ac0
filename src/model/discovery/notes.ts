import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, type JsonObject } from "../../protocol/json.ts";

/** What was learnt about models and can be learnt again: without it all works the same, only later. */
export interface Notes {
  /** Null: it was tried, and showed nothing. Undefined: nothing is known. */
  tools(model: string): boolean | null | undefined;
  keepTools(model: string, tools: boolean | null): void;
  defaultModel(server: string): string | undefined;
  keepDefaultModel(server: string, model: string): void;
}

const HOUR_MS = 3_600_000;
const TOOLS_HOLD_MS = 7 * 24 * HOUR_MS;
const NOTHING_SHOWN_HOLDS_MS = HOUR_MS;
const DEFAULT_HOLDS_MS = 24 * HOUR_MS;

const FILE = "models.json";

/** The notes in this folder of things that can be made anew; `now` in ms since the epoch. Never throws. */
export function openNotes(folder: string | undefined, now: () => number): Notes {
  const read = (): JsonObject => (folder === undefined ? {} : readNotes(join(folder, FILE)));
  const fresh = (key: string, holdsMs: (value: unknown) => number): unknown => {
    const note = read()[key];
    if (!isObject(note) || typeof note["at"] !== "number") return undefined;
    const age = now() - note["at"];
    return age >= 0 && age < holdsMs(note["value"]) ? note["value"] : undefined;
  };
  const keep = (key: string, value: unknown): void => {
    if (folder !== undefined) writeNotes(folder, { ...read(), [key]: { value, at: now() } });
  };
  return {
    tools: (model) => {
      const value = fresh(`tools ${model}`, (known) => (known === null ? NOTHING_SHOWN_HOLDS_MS : TOOLS_HOLD_MS));
      return value === null || typeof value === "boolean" ? value : undefined;
    },
    keepTools: (model, tools) => keep(`tools ${model}`, tools),
    defaultModel: (server) => {
      const value = fresh(`default ${server}`, () => DEFAULT_HOLDS_MS);
      return typeof value === "string" ? value : undefined;
    },
    keepDefaultModel: (server, model) => keep(`default ${server}`, model),
  };
}

function readNotes(path: string): JsonObject {
  try {
    const notes: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isObject(notes) ? notes : {};
  } catch {
    return {};
  }
}

/** Whole or not at all; a folder that cannot be written costs speed alone. */
function writeNotes(folder: string, notes: JsonObject): void {
  const draft = join(folder, `${FILE}.${process.pid}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${JSON.stringify(notes, null, 1)}\n`, { mode: 0o600 });
    renameSync(draft, join(folder, FILE));
  } catch {
    // Asked again the next time.
  }
}
