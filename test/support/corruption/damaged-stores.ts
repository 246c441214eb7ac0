import { copyFileSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { agent } from "../../../src/index.ts";
import type { RecoverEnd } from "../../../src/protocol/store-care.ts";
import { StoreError } from "../../../src/protocol/store.ts";
import { storeCare } from "../../../src/program/store-care.ts";
import { findBreaches } from "../../../src/session/oracle/oracle.ts";
import { openAudit } from "../../../src/store/sqlite/open-audit.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { dice } from "../dice.ts";
import { fakeProvider } from "../fake-provider.ts";
import { callTools, say } from "../wire-script.ts";

const FILE = "evander.db";
const PAGE = 4096;
const PARTS = ["", "-wal", "-shm"] as const;

export const KINDS = ["page", "header", "log", "truncated", "zeroed", "swapped"] as const;
export type Kind = (typeof KINDS)[number];

export interface Original {
  readonly folder: string;
  readonly truth: string;
}

/** The same store in two states. */
export interface Originals {
  /** As a process leaves it that is killed: with its log and its shared memory. */
  readonly killed: Original;
  /** As the last process leaves it that ends: one file. */
  readonly closed: Original;
}

/** Sessions with turns, tools and long results; some of it lies in the file, some in the log alone. */
export async function originalsIn(folder: string): Promise<Originals> {
  const random = dice(7);
  const living = join(folder, "living");
  mkdirSync(living);
  const text = (): string => `${"said and done ".repeat(Math.ceil(random() * 40))}${random()}`;
  for (const [from, to] of [
    [0, 7],
    [7, 10],
  ] as const) {
    const call = callTools([{ id: "a", name: "look", arguments: { at: "x" } }]);
    const script = Array.from({ length: (to - from) * 3 }, () => [call, say(text())]).flat();
    await using provider = await fakeProvider(script);
    const tool = {
      name: "look",
      description: "Looks.",
      parameters: { type: "object" },
      effect: "pure",
      concurrency: "shared",
      run: () => Promise.resolve("a line of what was found\n".repeat(Math.ceil(random() * 300))),
    } as const;
    const bot = agent({ baseUrl: provider.baseUrl, model: "m", store: living, tools: [tool] });
    for (let session = from; session < to; session++)
      for (let turn = 0; turn < 3; turn++) await bot.run(`${text()}?`, { sessionId: `s${session}` });
    if (to === 10) {
      forgetLeases(join(living, FILE));
      copyStore(living, join(folder, "killed"));
    }
    await bot.close();
  }
  copyStore(living, join(folder, "closed"));
  const original = (name: string): Original => {
    const read = join(folder, `${name}-read`);
    copyStore(join(folder, name), read);
    return { folder: join(folder, name), truth: readAll(join(read, FILE)) };
  };
  return { killed: original("killed"), closed: original("closed") };
}

/** Whoever held them is dead in what is copied. */
function forgetLeases(path: string): void {
  const db = new DatabaseSync(path);
  db.exec("update session set owner = null");
  db.close();
}

export function copyStore(from: string, to: string): void {
  mkdirSync(to);
  for (const part of PARTS) {
    const path = join(from, FILE + part);
    if (existsSync(path)) copyFileSync(path, join(to, FILE + part));
  }
}

/** All that ordinary use reads of a store, as text. */
function readAll(path: string): string {
  const store = openSqliteStore({ path });
  try {
    const sessions = store.list().toSorted((one, other) => (one.sessionId < other.sessionId ? -1 : 1));
    const all = sessions.map(({ sessionId, title, createdMs, messages, turns }) => {
      const facts = [...(store.record(sessionId)?.facts ?? [])];
      const ids = facts.flatMap(({ fact }) => (fact.type === "turn-start" ? [fact.turnId] : []));
      const seen = ids.map((id) => [store.turn(id), [...store.requests(id)]]);
      return { sessionId, title, createdMs, messages, turns, history: store.history(sessionId), facts, seen };
    });
    return JSON.stringify(all);
  } finally {
    store.close();
  }
}

function flip(path: string, at: number, random: () => number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ (1 + Math.floor(random() * 255));
  writeFileSync(path, bytes);
}

/** Damages the files of a store. */
export function damage(path: string, kind: Kind, random: () => number): void {
  const bytes = readFileSync(path);
  const pages = bytes.length / PAGE;
  const anyPage = (): number => 1 + Math.floor(random() * (pages - 1));
  switch (kind) {
    case "page":
      return flip(path, PAGE + Math.floor(random() * (bytes.length - PAGE)), random);
    case "header":
      return flip(path, Math.floor(random() * 100), random);
    case "log":
      return flip(`${path}-wal`, Math.floor(random() * readFileSync(`${path}-wal`).length), random);
    case "truncated":
      return truncateSync(path, Math.floor(random() * bytes.length));
    case "zeroed": {
      const page = anyPage();
      bytes.fill(0, page * PAGE, (page + 1) * PAGE);
      return writeFileSync(path, bytes);
    }
    case "swapped": {
      const [one, other] = [anyPage(), anyPage()].map((page) => page * PAGE) as [number, number];
      const kept = Buffer.from(bytes.subarray(one, one + PAGE));
      bytes.copyWithin(one, other, other + PAGE);
      kept.copy(bytes, other);
      return writeFileSync(path, bytes);
    }
  }
}

export type Outcome =
  /** Ordinary use was told, at the opening or at the first touch. */
  | "told"
  /** All reads as it was. */
  | "harmless"
  /** Less or other than was saved, and nobody was told. */
  | "silent";

export function outcomeOf(path: string, truth: string): Outcome {
  try {
    return readAll(path) === truth ? "harmless" : "silent";
  } catch (error) {
    if (error instanceof StoreError) return "told";
    throw error;
  }
}

/** Message texts that SQLite itself can still read in a damaged file, forwards and backwards. */
function readable(folder: string): Set<string> {
  const bodies = new Set<string>();
  for (const order of ["asc", "desc"]) {
    try {
      for (const body of bodiesIn(join(folder, FILE), order)) bodies.add(body);
    } catch {
      // what came before is what can be read
    }
  }
  return bodies;
}

function* bodiesIn(path: string, order: string): Generator<string> {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = db.prepare(`select body from message not indexed where part = 0 order by id ${order}`);
    // Of a row that is cut off SQLite may make nothing at all.
    for (const { body } of rows.iterate()) if (typeof body === "string") yield body;
  } finally {
    db.close();
  }
}

async function recovered(folder: string): Promise<RecoverEnd | "newer"> {
  try {
    return await storeCare().recover({ folder, dryRun: false, onPages: () => undefined });
  } catch (error) {
    if (error instanceof StoreError && error.fault === "newer") return "newer";
    throw error;
  }
}

/** What is wrong with how a damaged store was recovered; undefined: nothing. */
export async function recoveryTrouble(folder: string, work: string, truth: string): Promise<string | undefined> {
  copyStore(folder, work);
  copyStore(folder, `${work}-sqlite`);
  const can = readable(`${work}-sqlite`);
  const end = await recovered(work);
  // One number of the head says which program wrote it: whoever reads a later one there has to believe it.
  if (end === "newer") return undefined;
  if (end.type === "sound") return readAll(join(work, FILE)) === truth ? undefined : "it was called sound";
  if (end.type !== "recovered" || end.original === undefined) return `it ended as ${end.type}`;
  return keptTrouble(folder, end.original) ?? resultTrouble(join(work, FILE), end, truth) ?? lostIn(work, can, truth);
}

/** The original is kept; what processes share in memory is made anew by whoever opens the store. */
function keptTrouble(folder: string, original: string): string | undefined {
  const changed = PARTS.slice(0, 2).filter((part) => {
    const before = join(folder, FILE + part);
    return existsSync(before) && !readFileSync(before).equals(readFileSync(original + part));
  });
  return changed.length > 0 ? `the original was changed: ${changed.join(", ")}` : undefined;
}

type Recovered = Extract<RecoverEnd, { type: "recovered" }>;

function resultTrouble(path: string, { lostRows, lostPages, sessions }: Recovered, truth: string): string | undefined {
  const audit = openAudit(path);
  if (audit === undefined) return "there is no store any more";
  const [breach] = findBreaches(audit);
  audit.close();
  if (breach !== undefined) return `it is not sound: ${breach.kind} ${breach.detail.en}`;
  const told = lostRows + lostPages > 0 || sessions.some(({ state, changed }) => state === "parted" || changed > 0);
  return told || readAll(path) === truth ? undefined : "something is lost, and nothing is said of it";
}

/** A result whose call is lost belongs to nothing that a model could be sent. */
function lostIn(folder: string, can: ReadonlySet<string>, truth: string): string | undefined {
  const has = readable(folder);
  const missing = [...can].filter((body) => truth.includes(body) && !has.has(body) && !body.includes('"role":"tool"'));
  return missing.length > 0 ? `${missing.length} messages are lost: ${missing[0]?.slice(0, 80)}` : undefined;
}
