import type { ReceiptStatus, ToolMessage } from "../protocol/message.ts";
import type { TurnLog, TurnPorts } from "../protocol/ports.ts";
import type { Effect, ToolContext } from "../protocol/tool.ts";
import type { Close } from "./decide.ts";
import type { OpenCall, View } from "./state.ts";

type Call = Readonly<OpenCall>;

/** How long a tool may go on after an interrupt before nobody waits for it any more. */
const PATIENCE_MS = 2_000;

/** One fact names the whole segment; it is durable first when anything in it is not pure. */
export async function runSegment(
  calls: readonly Call[],
  { history }: Pick<View, "history">,
  ports: TurnPorts,
  log: TurnLog,
): Promise<void> {
  const effect = strongestEffect(calls);
  const runs = calls.map((call) => ({ call, again: call.started, history }));
  log.record({ type: "segment-start", callIds: calls.map((call) => call.part.callId), effect });
  if (effect !== "pure") await log.barrier();
  const patience = new Patience(ports, log.signal);
  await Promise.all(runs.map((run) => runCall(run, patience, ports, log)));
  patience.end();
}

function strongestEffect(calls: readonly Call[]): Effect {
  let strongest: Effect = "pure";
  for (const { inspection } of calls) {
    if (inspection.effect === "effect") return "effect";
    if (inspection.effect === "idempotent") strongest = "idempotent";
  }
  return strongest;
}

/** `again`: a process that died had started it, and nobody knows how far it came. */
interface Run {
  readonly call: Call;
  readonly again: boolean;
  readonly history: View["history"];
}

/** Whatever the tool does, the call gets its receipt. An interrupt that lands before the start is not lost (row E5). */
async function runCall(
  { call, again, history }: Run,
  patience: Patience,
  ports: TurnPorts,
  log: TurnLog,
): Promise<void> {
  if (log.signal.aborted) return closeCall(call, again ? "interrupted" : "cancelled", log);
  const { callId } = call.part;
  const { ask } = call.inspection;
  const context: ToolContext = {
    callId,
    sessionId: ports.sessionId,
    history,
    ...(ask !== undefined && { approved: ask }),
    signal: log.signal,
    output: (text) => log.emit([{ type: "tool-output-delta", callId, text }]),
  };
  try {
    const output = await Promise.race([ports.tools.run(call.part, context), patience.over]);
    if (output === undefined) closeCall(call, "interrupted", log);
    else receipt(call, "ok", output, log);
  } catch (error) {
    if (log.signal.aborted) closeCall(call, "interrupted", log);
    else receipt(call, "error", error instanceof Error ? error.message : String(error), log);
  }
}

/** A tool that ignores its signal cannot hold the turn. */
class Patience {
  /** Resolves some time after the signal was aborted. */
  readonly over: Promise<undefined>;
  /** The segment has settled: nothing is waited for any more. */
  end: () => void;

  constructor({ clock }: TurnPorts, signal: AbortSignal) {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const onAbort = (): void => {
      const settled = new AbortController();
      this.end = () => settled.abort();
      resolve(clock.sleep(PATIENCE_MS, settled.signal).then(() => undefined));
    };
    signal.addEventListener("abort", onAbort, { once: true });
    this.over = promise;
    this.end = () => signal.removeEventListener("abort", onAbort);
  }
}

/** The receipt of a call that does not run, or whose end nobody saw. */
export function closeCall(call: Call, as: Close, log: TurnLog): void {
  switch (as) {
    case "cancelled":
      return receipt(call, "cancelled", "Cancelled before it started: the turn was stopped.", log);
    case "interrupted":
      return receipt(call, "interrupted", "Interrupted before it finished: whether it took effect is unknown.", log);
    case "refused":
      return receipt(call, "error", call.inspection.refuse ?? "This call cannot run.", log);
    case "skipped":
      return receipt(call, "cancelled", call.inspection.skip ?? "This call was not needed.", log);
    case "unanswered":
      return receipt(call, "denied", "Not run: the turn was stopped before anybody allowed this call.", log);
    case "denied":
      return receipt(call, "denied", denialOf(call), log);
  }
}

const denialOf = (call: Call): string =>
  call.approval === "denied"
    ? "Not run: the user denied this call. Do not try the same thing another way."
    : `Not run: this needs a person's approval (${call.inspection.ask ?? "unknown"}) and nobody is here to give it.`;

function receipt(call: Call, status: ReceiptStatus, text: string, log: TurnLog): void {
  const message: ToolMessage = { role: "tool", callId: call.part.callId, status, parts: [{ type: "text", text }] };
  log.record({ type: "receipt", seq: call.seq, message });
}
