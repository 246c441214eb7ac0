import { callTools, delta, DONE, PAUSE, replyFrames, say, stream } from "../../support/wire-script.ts";
import { type Act, bytes, http, type Machine, type Row, thenDone } from "./row.ts";

/** Two halves with a pause between them, in which signals come. */
const HALVES = stream([
  ...replyFrames({ text: "half", finish: null, usage: null, done: false }),
  PAUSE,
  delta({ content: "!" }, "stop"),
  DONE,
]);

/** Writes its process number where the harness looks for it, in one step. */
const command = (sleeps: string): string => `echo $$ > pid.new; mv pid.new pid; ${sleeps}`;
const running = (sleeps: string): Row["server"] =>
  thenDone(callTools([{ id: "c1", name: "terminal", arguments: { command: command(sleeps) } }]));

const CODES = { SIGINT: 130, SIGTERM: 143 } as const;

const SERVERS: Readonly<Record<Act["at"], Row["server"]>> = {
  models: { reads: "nothing" },
  request: bytes([], "open"),
  text: http(HALVES),
  tool: running("exec sleep 60"),
};

function signalled(act: Act, more: Partial<Row> = {}): Row {
  const { signal, at, twice } = act;
  const code = signal === "SIGKILL" ? "" : CODES[signal];
  return {
    id: `signal/${signal.toLowerCase()}-at-${at}${twice === true ? "-twice" : ""}`,
    shows: "B5 B15 J1",
    server: SERVERS[at],
    act,
    args: ["--approve", "all"],
    ends: signal === "SIGKILL" ? ["killed"] : [`interrupted_by_user ${code}`, `interrupted_during_api_call ${code}`],
    ...(at === "models" && { unkept: true, requests: 0 }),
    ...more,
  };
}

const SIGNALS: readonly Row[] = [
  ...(["SIGINT", "SIGTERM"] as const).flatMap((signal) => [
    ...(["models", "request", "text", "tool"] as const).map((at) => signalled({ signal, at })),
    ...(["request", "tool"] as const).map((at) => signalled({ signal, at, twice: true })),
  ]),
  signalled(
    { signal: "SIGTERM", at: "tool" },
    { id: "signal/sigterm-at-deaf-tool", server: running("trap '' INT TERM HUP; while :; do sleep 1; done") },
  ),
  ...(["request", "text", "tool"] as const).map((at) => signalled({ signal: "SIGKILL", at })),
];

const found = (machine: Machine, ends: string): Row => ({
  id: `machine/${machine}`,
  shows: "G1 G3 J1",
  server: http(say("x".repeat(4_000_000))),
  machine,
  ends: [ends],
});

const MACHINES: readonly Row[] = [
  found("full", "store_unavailable 73"),
  { ...found("read-only", "store_unavailable 73"), requests: 0, unkept: true },
  { ...found("damaged", "store_unavailable 73"), requests: 0, unkept: true },
  { ...found("busy", "session_busy 75"), requests: 0 },
];

export const MACHINE_ROWS: readonly Row[] = [...SIGNALS, ...MACHINES];
