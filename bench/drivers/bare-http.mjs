// The floor: node:http with keep-alive, every message stringified once; what `persist` names is added to it:
//   sqlite   node:sqlite in WAL mode, one transaction per phase (accepted, model, tools, done): messages and a cursor row
//   full     … synced to disk at each commit            group   … phases of one tick, of all sessions, share a transaction
//   buffer   the request body is one growing Buffer, appended to in place: no byte of history is ever copied again

// By import it would load all of fetch with it.
const http = process.getBuiltinModule("node:http");

class Pieces {
  constructor(head) {
    this.head = head;
    this.messages = [];
  }
  push(message) {
    this.messages.push(message);
  }
  body(tail) {
    return Buffer.from(this.head + this.messages.join(",") + tail);
  }
}

class Growing {
  constructor(head) {
    this.buffer = Buffer.allocUnsafe(65_536);
    this.length = this.buffer.write(head);
    this.empty = true;
  }
  makeRoom(bytes) {
    if (this.length + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.length + bytes));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
  push(message) {
    this.makeRoom(3 * message.length + 8);
    if (!this.empty) this.buffer[this.length++] = 44;
    this.empty = false;
    this.length += this.buffer.write(message, this.length);
  }
  body(tail) {
    this.makeRoom(8);
    return this.buffer.subarray(0, this.length + this.buffer.write(tail, this.length));
  }
}

async function openDatabase(folder, persist) {
  const { DatabaseSync } = await import("node:sqlite");
  const db = new DatabaseSync(`${folder}/bare.db`);
  db.exec(`pragma journal_mode = wal; pragma synchronous = ${persist.includes("full") ? "full" : "normal"};
    create table if not exists message (session text, seq integer, body text, primary key (session, seq)) without rowid;
    create table if not exists cursor (session text primary key, phase text, seq integer) without rowid`);
  const insert = db.prepare("insert into message values (?, ?, ?)");
  const point = db.prepare(
    "insert into cursor values (?, ?, ?) on conflict (session) do update set phase = excluded.phase, seq = excluded.seq",
  );
  const all = db.prepare("select body from message where session = ? order by seq");
  const end = db.prepare("select coalesce(max(seq) + 1, 0) as next from message where session = ?");
  const begin = db.prepare("begin immediate");
  const commit = db.prepare("commit");
  let waiting = [];
  const flush = () => {
    const batch = waiting;
    waiting = [];
    begin.run();
    for (const job of batch) job.write();
    commit.run();
    for (const job of batch) job.done();
  };
  const writeAlone = (write) => {
    begin.run();
    write();
    commit.run();
  };
  const writeGrouped = (write) =>
    new Promise((done) => {
      if (waiting.push({ write, done }) === 1) setImmediate(flush);
    });
  /** @type {(write: () => void) => Promise<void> | void} */
  const transact = persist.includes("group") ? writeGrouped : writeAlone;
  return {
    load: (session) => all.all(session).map((row) => row.body),
    next: (session) => end.get(session).next,
    save: (session, phase, rows) =>
      transact(() => {
        for (const { seq, body } of rows) insert.run(session, seq, body);
        point.run(session, phase, rows.at(-1).seq);
      }),
    close: () => db.close(),
  };
}

/** @type {import("../measured/driver.d.ts").Create} */
export async function create({ baseUrl, model, persist, stateDir }) {
  const { hostname, port, pathname } = new URL(baseUrl);
  const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity, noDelay: true });
  const db = persist.startsWith("sqlite") ? await openDatabase(stateDir, persist) : undefined;

  const post = (body, onLine) =>
    new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", authorization: "Bearer x", "content-length": body.length };
      const options = { hostname, port, path: `${pathname}/chat/completions`, method: "POST", agent, headers };
      const request = http.request(options, (response) => {
        if (response.statusCode !== 200) return reject(new Error(`http ${response.statusCode}`));
        let pending = "";
        response.setEncoding("utf8");
        response.on("data", (text) => {
          pending += text;
          let at = 0;
          for (let end = pending.indexOf("\n"); end >= 0; end = pending.indexOf("\n", at)) {
            if (end > at) onLine(pending, at, end);
            at = end + 1;
          }
          pending = pending.slice(at);
        });
        response.on("end", resolve);
        return response.on("error", reject);
      });
      request.on("error", reject);
      request.end(body);
    });

  return {
    async turn({ sessionId, prompt, tools, onText }) {
      const specs = tools.map(({ name, description, parameters }) => ({
        type: "function",
        function: { name, description, parameters },
      }));
      const byName = new Map(tools.map((tool) => [tool.name, tool]));
      const opening = { model, stream: true, stream_options: { include_usage: true }, tools: specs };
      const head = `${JSON.stringify(opening).slice(0, -1)},"messages":[`;
      const wire = persist.includes("buffer") ? new Growing(head) : new Pieces(head);
      wire.push(JSON.stringify({ role: "system", content: "You are a bench agent." }));
      const stored = db?.load(sessionId) ?? [];
      for (const body of stored) wire.push(body);
      let seq = stored.length;
      /** @type {(name: string, messages: readonly object[]) => Promise<void> | void | undefined} */
      const phase = (name, messages) => {
        const rows = messages.map((message) => ({ seq: seq++, body: JSON.stringify(message) }));
        for (const { body } of rows) wire.push(body);
        return db?.save(sessionId, name, rows);
      };
      await phase("accepted", [{ role: "user", content: prompt }]);
      for (;;) {
        let content = "";
        const calls = [];
        await post(wire.body("]}"), (text, start, end) => {
          if (!text.startsWith("data: ", start) || text.startsWith("data: [DONE]", start)) return;
          const delta = JSON.parse(text.slice(start + 6, end)).choices[0]?.delta;
          if (delta?.content) {
            content += delta.content;
            onText?.(delta.content);
          }
          for (const piece of delta?.tool_calls ?? []) addCall(calls, piece);
        });
        if (calls.length === 0) {
          await phase("done", [{ role: "assistant", content }]);
          return { text: content };
        }
        await phase("model", [{ role: "assistant", content: content || null, tool_calls: calls }]);
        const results = await Promise.all(
          calls.map((call) => byName.get(call.function.name).execute(JSON.parse(call.function.arguments))),
        );
        await phase(
          "tools",
          calls.map((call, index) => ({ role: "tool", tool_call_id: call.id, content: results[index] })),
        );
      }
    },
    async save(sessionId, messages) {
      const first = db.next(sessionId);
      await db.save(
        sessionId,
        "imported",
        messages.map((message, index) => ({ seq: first + index, body: JSON.stringify(message) })),
      );
    },
    stored: (sessionId) => db.next(sessionId),
    async close() {
      agent.destroy();
      db?.close();
    },
  };
}

function addCall(calls, piece) {
  const call = (calls[piece.index] ??= { id: piece.id, type: "function", function: { name: "", arguments: "" } });
  call.function.name += piece.function?.name ?? "";
  call.function.arguments += piece.function?.arguments ?? "";
}
