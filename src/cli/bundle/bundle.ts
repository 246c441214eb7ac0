import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { PassThrough } from "node:stream";
import type { RecordedTurn } from "../../protocol/replay.ts";
import { reasonOf } from "../../protocol/reason-of.ts";
import type { Store } from "../../protocol/store.ts";
import { explainTurn } from "../../session/explain.ts";
import { redactedTurn } from "../../session/replay/redacted.ts";
import { recordLines } from "../../session/replay/record-file.ts";
import { BUNDLE_WORDS, bundled, fileTaken, notBundled } from "../../words/bundle.ts";
import { lookHere } from "../config/look.ts";
import { showConfig } from "../config/show.ts";
import type { CommandContext } from "../context.ts";
import { runDoctor } from "../doctor/doctor.ts";
import { type Io, say, sayJson } from "../io.ts";
import { logFolder } from "../log/open.ts";
import { keptRecords, newest } from "../log/records.ts";
import { secretCleaner } from "../log/secrets.ts";
import type { Form } from "../options.ts";
import type { ChangeFlags } from "../records/change.ts";
import { TURN_FILE } from "../records/replay.ts";
import { existingTurn } from "../records/turns.ts";
import { RefusalError, usageRefusal } from "../refusal.ts";
import { type Entry, zipOf } from "./zip.ts";

interface Bundling extends Form, ChangeFlags {
  readonly turn: string;
  /** Absent: one in the working folder, called after the turn. */
  readonly file: string | undefined;
}

/** More lines of one turn than this say no more. */
const MOST_LINES = 5_000;

/** `evander bundle`: a turn and what surrounded it in one local file, for whoever looks into it. Nothing is sent. */
export async function writeBundle(store: Store, flags: Bundling, context: CommandContext): Promise<void> {
  const { io, json, language } = context.asked(flags);
  const { turnId } = existingTurn(store, flags.turn);
  const turn = store.recorded(turnId);
  if (turn === undefined) throw usageRefusal(BUNDLE_WORDS.noRecord);
  const file = flags.file ?? `evander-turn-${turnId.replaceAll(/[^\w-]/gu, "").slice(0, 8)}.zip`;
  const path = resolve(io.cwd, file);
  const dryRun = flags.dryRun === true;
  if (!dryRun && flags.yes !== true && existsSync(path)) throw usageRefusal(fileTaken(file));
  const entries = await entriesOf(turn, store, context);
  const archive = zipOf(entries);
  if (!dryRun) writePrivately(path, archive, file);
  const files = entries.map(({ name, bytes }) => ({ name, bytes: bytes.length }));
  if (json) return sayJson(io, { turnId, file: dryRun ? null : path, bytes: archive.length, files });
  say(io.stdout, (dryRun ? BUNDLE_WORDS.would : bundled(file))[language]);
  for (const { name, bytes } of files) say(io.stdout, `  ${name}  ${bytes} B`);
  say(io.stdout, BUNDLE_WORDS.stays[language]);
}

async function entriesOf(turn: RecordedTurn, store: Store, context: CommandContext): Promise<Entry[]> {
  const { adapters, io } = context;
  const config = await lookHere(io);
  const clean = secretCleaner(io.env, await adapters.ownSecrets(config.folders));
  const { turnId } = turn;
  const stored = store.turn(turnId);
  const told = stored === undefined ? [] : explainTurn(stored, { nowMs: Date.now(), alive: false, language: "en" });
  const reading = (use: (on: Io) => Promise<unknown>): Promise<string> => heard(io, use);
  const form = context.asked({ json: true, lang: "en" });
  const [settings, findings] = await Promise.all([
    reading((on) => showConfig({ ...form, io: on, origin: true })),
    reading((on) => runDoctor(adapters, { ...form, io: on })),
  ]);
  const records = newest(keptRecords(logFolder(config.folders)), (record) => record.turn === turnId, MOST_LINES);
  const about = { schema: "evander.bundle.v1", turnId, version: adapters.version(), node: process.version };
  const texts: Readonly<Record<string, string>> = {
    [TURN_FILE]: [...recordLines(redactedTurn(turn, clean)), ""].join("\n"),
    "about.json": JSON.stringify({ ...about, platform: process.platform, arch: process.arch }),
    "explain.txt": clean(told.join("\n")),
    "config.json": clean(settings),
    "doctor.json": clean(findings),
    "log.jsonl": records.map((record) => clean(JSON.stringify(record))).join("\n"),
  };
  return Object.entries(texts).map(([name, text]) => ({ name, bytes: Buffer.from(text) }));
}

/** What a command says on stdout. */
async function heard(io: Io, use: (on: Io) => Promise<unknown>): Promise<string> {
  const stdout = new PassThrough();
  const pieces: Buffer[] = [];
  stdout.on("data", (piece: Buffer) => pieces.push(piece));
  try {
    await use({ ...io, stdout, stderr: new PassThrough().resume() });
  } catch (error) {
    return `${reasonOf(error)}\n`;
  }
  stdout.end();
  await new Promise((done) => stdout.once("end", done));
  return Buffer.concat(pieces).toString();
}

/** All of it or nothing, for its owner alone. */
function writePrivately(path: string, bytes: Buffer, named: string): void {
  const draft = `${path}.part`;
  try {
    rmSync(draft, { force: true });
    writeFileSync(draft, bytes, { flag: "wx", mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new RefusalError({ reason: "store_unavailable", message: notBundled(basename(named), reasonOf(error)) });
  }
}
