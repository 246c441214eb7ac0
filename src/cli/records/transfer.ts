import { createReadStream, statSync } from "node:fs";
import { resolve } from "node:path";
import { callsOf, imageMention, type Message, textOf } from "../../protocol/message.ts";
import { toOpenAi } from "../../protocol/openai.ts";
import type { SessionRecord, Store } from "../../protocol/store.ts";
import { printable } from "../../session/plain-text.ts";
import { type FiledSession, readSessionFile, sessionLines } from "../../session/session-file.ts";
import { NO_REGULAR_FILE } from "../../words/files.ts";
import { brokenFile, RECORD_WORDS, sessionTaken, unreadable } from "../../words/records.ts";
import type { Asked } from "../context.ts";
import type { FORMATS } from "../flags.ts";
import { type Io, readAll, say, sayJson } from "../io.ts";
import { whyOf } from "../prompt/attachments.ts";
import { existingSession, RefusalError, usageRefusal } from "../refusal.ts";
import type { ChangeFlags } from "./change.ts";

export interface ExportFlags {
  readonly format: (typeof FORMATS)[number];
  readonly all?: boolean;
}

/** `session export`: to stdout, as it is; `>` puts it into a file. */
export function exportSessions(store: Store, io: Io, asked: readonly string[], { format, all }: ExportFlags): void {
  const ids =
    all === true ? store.list().map(({ sessionId }) => sessionId) : asked.map((name) => existingSession(store, name));
  if (ids.length === 0 && all !== true) throw usageRefusal(RECORD_WORDS.exportWhat);
  if (format !== "jsonl" && ids.length !== 1) throw usageRefusal(RECORD_WORDS.exportOne);
  for (const id of ids) for (const line of linesOf(store, id, format)) say(io.stdout, line);
}

function linesOf(store: Store, sessionId: string, format: ExportFlags["format"]): Iterable<string> {
  const record = store.record(sessionId);
  if (record === undefined) return [];
  const messages = (): Message[] => (store.history(sessionId) ?? []).filter((message) => message !== undefined);
  switch (format) {
    case "jsonl":
      return sessionLines(record);
    case "openai":
      return [JSON.stringify(toOpenAi(messages()))];
    case "md":
      return [markdown(record, messages())];
  }
}

function markdown({ title, sessionId, createdMs }: SessionRecord, messages: readonly Message[]): string {
  const head = `# ${printable(title) || sessionId}\n\nsession ${sessionId}, begun ${new Date(createdMs).toISOString()}`;
  const names = new Map<string, string>();
  const sections = messages.map((message) => {
    if (message.role === "assistant") for (const call of callsOf(message)) names.set(call.callId, call.name);
    return section(message, names);
  });
  return [head, ...sections].join("\n\n");
}

function section(message: Message, names: ReadonlyMap<string, string>): string {
  const pictures = message.parts.flatMap((part) => (part.type === "image" ? [imageMention(part)] : []));
  const text = printable([textOf(message).trim(), ...pictures].filter((line) => line !== "").join("\n\n"));
  switch (message.role) {
    case "user":
      return `## You\n\n${text}`;
    case "assistant": {
      const calls = callsOf(message).map(({ name, input }) => `Calls \`${printable(name)}\`:\n\n${fenced(input)}`);
      return ["## Evander", text, ...calls].filter((part) => part !== "").join("\n\n");
    }
    case "tool": {
      const steers = message.parts.flatMap((part) =>
        part.type === "steer" ? [`You, meanwhile: ${printable(part.text)}`] : [],
      );
      const head = `### ${printable(names.get(message.callId) ?? message.callId)}: ${message.status}`;
      return [head, fenced(text), ...steers].join("\n\n");
    }
  }
}

/** A fence that nothing in the text can end. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${printable(text)}\n${fence}`;
}

export interface ImportFlags extends ChangeFlags {
  readonly new?: boolean;
}

interface Import extends Asked, ImportFlags {
  readonly newSessionId: () => string;
}

/** `session import`: all of a file or nothing of it. */
export async function importSessions(store: Store, name: string, asked: Import): Promise<void> {
  const file = readSessionFile(await textOfFile(name, asked.io), { nowMs: Date.now(), newIds: asked.new === true });
  if (file.type === "invalid") throw usageRefusal(brokenFile(name, file.line, file.why));
  // What was forked shares again with its parent, which therefore comes first.
  const sorted = file.sessions.toSorted((one, other) => one.createdMs - other.createdMs);
  const records = relinked(
    sorted,
    sorted.map((session) => named(session, asked)),
  );
  const taken = records.find(({ sessionId }) => store.history(sessionId) !== undefined);
  if (taken !== undefined) throw usageRefusal(sessionTaken(taken.sessionId));
  const done: object[] = [];
  for (const record of records) {
    const imported = asked.dryRun !== true && (await store.restore(record));
    if (!imported && asked.dryRun !== true) throw usageRefusal(sessionTaken(record.sessionId));
    done.push({ sessionId: record.sessionId, title: record.title, facts: record.facts.length, imported });
    if (!asked.json) say(asked.io.stdout, `${record.sessionId}  ${printable(record.title)}`);
  }
  if (asked.json) sayJson(asked.io, done);
}

const named = (session: FiledSession, { newSessionId, ...flags }: Import): Named => ({
  ...session,
  sessionId: flags.new === true || session.sessionId === undefined ? newSessionId() : session.sessionId,
});

interface Named extends FiledSession {
  readonly sessionId: string;
}

/** A fork goes on from its parent under the name that has here. */
function relinked(filed: readonly FiledSession[], records: readonly Named[]): Named[] {
  const ids = new Map(filed.map(({ sessionId }, at) => [sessionId, records[at]?.sessionId]));
  return records.map((record) => ({
    ...record,
    facts: record.facts.map(({ atMs, fact }) =>
      fact.type === "session-forked"
        ? { atMs, fact: { ...fact, from: ids.get(fact.from) ?? fact.from } }
        : { atMs, fact },
    ),
  }));
}

async function textOfFile(name: string, io: Io): Promise<string> {
  const path = resolve(io.cwd, name);
  try {
    // A device may never end; a pipe does.
    if (name !== "-" && statSync(path).isCharacterDevice()) throw usageRefusal(unreadable(name, NO_REGULAR_FILE));
    return await readAll(name === "-" ? io.stdin : createReadStream(path));
  } catch (error) {
    throw error instanceof RefusalError ? error : usageRefusal(unreadable(name, whyOf(error)));
  }
}
