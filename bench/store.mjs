// What saving costs, and whether that depends on what is stored already: node bench/store.mjs [ROUNDS]. Its last line is for programs.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { openSqliteStore } from "../src/store/sqlite/store.ts";

const GOAL = 1.2;
const rounds = Number(process.argv[2] ?? 400);
const output = "a line of a file that was read by a tool\n".repeat(50);

const receiptOf = (seq, callId) => ({
  type: "receipt",
  seq,
  message: { role: "tool", callId, status: "ok", parts: [{ type: "text", text: output }] },
});

const replyOf = (seq, callId) => ({
  type: "assistant-message",
  seq,
  finish: "tool_calls",
  message: { role: "assistant", parts: [{ type: "tool-call", callId, name: "read_file", input: '{"path":"a"}' }] },
});

/** One iteration with one call: the reply and its segment in one commit, then the receipt. */
async function iteration(writer, seq) {
  const callId = `call_${seq}`;
  writer.append({ type: "attempt-start", attempt: seq, iteration: seq, model: "m" });
  await writer.barrier();
  writer.append(replyOf(seq, callId));
  writer.append({ type: "segment-start", callIds: [callId], effect: "pure" });
  await writer.barrier();
  writer.append(receiptOf(seq + 1, callId));
  await writer.barrier();
}

async function sessionWith(store, sessionId, messages) {
  const writer = (await store.open(sessionId)).writer(() => {});
  const message = { role: "user", parts: [{ type: "text", text: "hello" }] };
  writer.append({
    type: "turn-start",
    turnId: sessionId,
    seq: 0,
    message,
    model: "m",
    provider: "p",
    maxIterations: 500,
  });
  for (let seq = 1; seq < messages; seq += 2) {
    writer.append(replyOf(seq, `call_${seq}`));
    writer.append(receiptOf(seq + 1, `call_${seq}`));
    if (seq % 100 === 1) await writer.barrier();
  }
  writer.append({ type: "turn-end", outcome: { exit: "text_response", answer: null } });
  await writer.barrier();
  return { writer, next: messages + 1, times: [] };
}

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

const folder = mkdtempSync(join(tmpdir(), "evander-bench-"));
try {
  const path = join(folder, "store.db");
  const store = openSqliteStore({ path });
  const sessions = [await sessionWith(store, "100", 100), await sessionWith(store, "10000", 10_000)];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const cpu = process.cpuUsage();
  for (let round = 0; round < rounds; round++) {
    for (const session of round % 2 === 0 ? sessions : sessions.toReversed()) {
      const start = performance.now();
      await iteration(session.writer, session.next);
      session.times.push(performance.now() - start);
      session.next += 2;
    }
  }
  const { user, system } = process.cpuUsage(cpu);
  delay.disable();
  const [small, large] = sessions.map(({ times }) => times.toSorted((a, b) => a - b));
  const ratio = at(large, 0.5) / at(small, 0.5);
  const line = (name, value) => console.log(`${name.padEnd(52)} ${value}`);
  line(
    "save of one iteration, 100 messages stored",
    `${at(small, 0.5).toFixed(3)} ms, p99 ${at(small, 0.99).toFixed(3)}`,
  );
  line(
    "save of one iteration, 10,000 messages stored",
    `${at(large, 0.5).toFixed(3)} ms, p99 ${at(large, 0.99).toFixed(3)}`,
  );
  line("growth (goal: at most 1.2)", `${ratio.toFixed(2)} ${ratio <= GOAL ? "pass" : "MISSED"}`);
  line("processor time of one iteration", `${((user + system) / 1_000 / (2 * rounds)).toFixed(3)} ms`);
  line("longest stop of the event loop", `${(delay.max / 1e6).toFixed(1)} ms`);
  const search = performance.now();
  store.search("file", 10);
  line("first search, with all that was not indexed yet", `${(performance.now() - search).toFixed(1)} ms`);
  store.close();
  const opening = performance.now();
  const again = openSqliteStore({ path });
  const opened = performance.now();
  await again.open("10000");
  line(
    "open the store; open the session of 10,000",
    `${(opened - opening).toFixed(1)} ms; ${(performance.now() - opened).toFixed(1)} ms`,
  );
  again.close();
  line("file", `${(statSync(path).size / 1e6).toFixed(1)} MB`);
  console.log(JSON.stringify({ smallMs: at(small, 0.5), largeMs: at(large, 0.5), ratio, goal: GOAL }));
  process.exitCode = ratio <= GOAL ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
