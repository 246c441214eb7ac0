import type { DatabaseSync, StatementSync } from "node:sqlite";
import { callsOf, type ContextPart, type Message, type SteerPart, textOf } from "../../protocol/message.ts";
import type { Said, SaidMessage } from "../../protocol/session-search.ts";
import type { MessageRow } from "./rows.ts";
import { soundRows } from "./sums.ts";

interface SessionRow {
  readonly id: number;
  readonly parent: number | null;
  readonly shared: number | null;
}

/** Reads what was said in a stretch of a session, and no more of it. */
export class SaidReading {
  private readonly byKey: StatementSync;
  private readonly byId: StatementSync;
  private readonly rows: StatementSync;
  private readonly last: StatementSync;

  constructor(db: DatabaseSync) {
    const columns = "select id, parent, shared from session";
    this.byKey = db.prepare(`${columns} where key = ? and purpose is null`);
    this.byId = db.prepare(`${columns} where id = ?`);
    this.last = db.prepare("select seq from message where session = ? order by seq desc limit 1");
    this.rows = db.prepare(
      "select seq, part, body, sum from message where session = ? and seq between ? and ? order by seq, part",
    );
  }

  said(sessionId: string, from: number, to: number): Said | undefined {
    const session = this.byKey.get(sessionId) as unknown as SessionRow | undefined;
    if (session === undefined) return undefined;
    const names = new Map<string, string>();
    const last = this.last.get(session.id)?.["seq"];
    return {
      size: last === undefined ? (session.shared ?? 0) : Number(last) + 1,
      messages: this.rowsOf(session, from, to).flatMap((row) => saidIn(row, names)),
    };
  }

  /** With those that it shares with its parent. */
  private rowsOf({ id, parent, shared }: SessionRow, from: number, to: number): readonly MessageRow[] {
    const own = soundRows(id, this.rows.all(id, from, to));
    if (parent === null || from >= (shared ?? 0)) return own;
    const before = this.byId.get(parent) as unknown as SessionRow;
    return [...this.rowsOf(before, from, Math.min(to, (shared ?? 0) - 1)), ...own];
  }
}

/** `names`: the tools that were called in the messages before. */
function saidIn({ seq, part, body }: MessageRow, names: Map<string, string>): SaidMessage[] {
  if (part > 0) {
    const late = JSON.parse(body) as SteerPart | ContextPart;
    return late.type === "steer" ? [{ seq, role: "user", text: late.text, tools: [] }] : [];
  }
  const message = JSON.parse(body) as Message;
  return [{ seq, role: message.role, text: textOf(message), tools: toolsOf(message, names) }];
}

function toolsOf(message: Message, names: Map<string, string>): string[] {
  switch (message.role) {
    case "user":
      return [];
    case "assistant":
      for (const { callId, name } of callsOf(message)) names.set(callId, name);
      return callsOf(message).map(({ name }) => name);
    case "tool": {
      const name = names.get(message.callId);
      return name === undefined ? [] : [name];
    }
  }
}
