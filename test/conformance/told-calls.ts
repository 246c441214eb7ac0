import type { ToolCallPart } from "../../src/protocol/message.ts";
import type { Tool } from "../../src/protocol/tool.ts";
import { createToolbox } from "../../src/tools/toolbox.ts";
import { inspectBatch } from "../../src/turn/batch.ts";
import type { Loop, Outcome, ToldReply } from "./told.ts";

/** One call of a batch: what is known of it when it comes, then what it says and how it ended. */
export interface Asked {
  readonly written: string;
  readonly name: string;
  readonly key: string;
  readonly input: unknown;
  readonly refuse: string | undefined;
  readonly skip: string | undefined;
  readonly external: boolean;
  readonly shared: boolean;
  says: string;
  as: Outcome | undefined;
}

export function seenCalls(tools: readonly Tool[], calls: ToldReply["calls"]): Asked[] {
  const { port, read } = createToolbox(tools);
  const parts = calls.map(({ id, name, input }): ToolCallPart => ({ type: "tool-call", callId: id, name, input }));
  const each = parts.map((part) => port.inspect(part));
  return inspectBatch(parts, each).map(({ refuse, skip, name: meant, external = false, claim }, at) => {
    const { name: written = "", input = "" } = calls[at] ?? {};
    const name = meant ?? written;
    const part = parts[at];
    const shared = claim.mode === "shared";
    const known = { written, name, key: `${name} ${input}`, input: part && read(part)?.input };
    return { ...known, refuse, skip, external, shared, says: "", as: undefined };
  });
}

const UNKNOWN = /^(?:There is no tool named|This call names no tool)/u;

/** The first failure of a tool ends this turn, and there was one. */
export const isStopped = ({ script, toolError }: Loop): boolean =>
  script.failOnToolError === true && toolError !== undefined;

/** First the calls that cannot run, then the copies, then what was looked up often enough; then the others, in order. */
export function settle(loop: Loop, asked: readonly Asked[]): void {
  if (loop.grace) return;
  for (const call of asked) refuse(loop, call);
  if (isStopped(loop)) return;
  for (const call of asked) if (call.skip !== undefined) Object.assign(call, { says: call.skip, as: "skipped" });
  for (const call of asked.filter(({ as, external }) => as === undefined && external)) {
    const before = loop.lookUps.filter((key) => key === call.key).length;
    if (before >= 2) fail(loop, call, "", "repeated");
  }
  runRest(
    loop,
    asked.filter(({ as }) => as === undefined),
  );
}

function refuse(loop: Loop, call: Asked): void {
  if (call.refuse !== undefined) fail(loop, call, call.refuse, UNKNOWN.test(call.refuse) ? "unknown" : "refused");
}

/** What runs side by side has begun before any of it can fail. */
function runRest(loop: Loop, calls: readonly Asked[]): void {
  let stopped = isStopped(loop);
  for (const [at, call] of calls.entries()) {
    if (!call.shared || calls[at - 1]?.shared !== true) stopped = isStopped(loop);
    if (!stopped) run(loop, call);
  }
}

function fail(loop: Loop, call: Asked, says: string, as: Outcome): void {
  loop.toolError ??= says;
  Object.assign(call, { says, as });
}

function run(loop: Loop, call: Asked): void {
  const { name, key, input } = call;
  const { said, failed } = loop.script.answer(name, loop.runs.filter(([one]) => one === name).length);
  loop.lookUps.push(key);
  loop.runs.push([name, input]);
  if (failed) fail(loop, call, said, "failed");
  else Object.assign(call, { says: said, as: "ran" });
}
