import { statSync } from "node:fs";
import { resolve } from "node:path";
import { readSettings, type Settings } from "../config/settings.ts";
import type { InterruptSource } from "../protocol/exit.ts";
import type { TurnResult } from "../protocol/result.ts";
import type { Store } from "../protocol/store.ts";
import { readInput } from "../session/input.ts";
import type { Lane } from "../session/lane.ts";
import type { Turn } from "../session/turn.ts";
import type { Adapters, Runtime } from "./adapters.ts";
import type { Flags } from "./flags.ts";
import { existingSession, failureResult, RefusalError } from "./refusal.ts";
import { type Io, readAll, say } from "./io.ts";
import type { Output } from "./output.ts";

/** One run of the program without a person: what was asked, and the edges it works through. */
export interface Headless {
  readonly flags: Flags;
  readonly io: Io;
  readonly adapters: Adapters;
  readonly output: Output;
}

/** `evander -p`: one turn, one result, its exit code. */
export async function runPrompt(run: Headless): Promise<number> {
  const { flags, io, adapters } = run;
  return report(run, async (stopper) => {
    const text = await stopper.before(promptText(flags, io));
    return headlessTurn(run, stopper, async ({ sessions }, store) => {
      const sessionId = flags.resume === undefined ? adapters.newSessionId() : existingSession(store, flags.resume);
      return { turn: await sessions.start(sessionId, text), lane: await sessions.lane(sessionId) };
    });
  });
}

/** `evander session resume ID --continue`: goes on with the turn that a crash or an approval left unfinished (row G3). */
export async function runResume(run: Headless, asked: string): Promise<number> {
  return report(run, (stopper) =>
    headlessTurn(run, stopper, async ({ sessions }, store) => {
      const sessionId = existingSession(store, asked);
      const lane = await sessions.lane(sessionId);
      if (lane.unfinished) return { turn: lane.resume(), lane };
      const message = "The last turn of this session has ended: there is nothing to go on with.";
      throw new RefusalError({ reason: "usage_error", message, sessionId });
    }),
  );
}

/** Every refusal and every fault becomes a result too: there is always one. */
async function report(run: Headless, work: (stopper: Stopper) => Promise<TurnResult>): Promise<number> {
  const { flags, io, output } = run;
  const stopper = new Stopper(io);
  const result = await work(stopper).catch((error: unknown) => failureResult(error, io, flags.verbose === true));
  stopper.leave();
  output.result(result);
  return result.exit.code;
}

type Begin = (runtime: Runtime, store: Store) => Promise<{ readonly turn: Turn; readonly lane: Lane }>;

async function headlessTurn(run: Headless, stopper: Stopper, begin: Begin): Promise<TurnResult> {
  const { flags, io, adapters, output } = run;
  const settings = settingsOf(flags);
  const cwd = workingFolder(flags, io);
  const search = await stopper.before(adapters.findModel(flags));
  if (search.type === "none") throw new RefusalError({ reason: "no_provider", code: search.cause, ...search });
  const store = await adapters.openStore(settings);
  const log = diagnosticLog(flags, io);
  const approvals = flags.approve ?? "never";
  const runtime = await adapters.openRuntime({ model: search, store, settings, cwd, approvals, log });
  try {
    const { turn, lane } = await begin(runtime, store);
    return await stopper.watch(turn, lane, output);
  } finally {
    await runtime.close();
  }
}

export function settingsOf(flags: Flags): Settings {
  const reading = readSettings(
    flags.config,
    flags.maxIterations === undefined ? {} : { maxIterations: flags.maxIterations },
  );
  if (reading.type === "invalid") throw new RefusalError({ reason: "config_invalid", message: reading.message });
  return reading.settings;
}

export function workingFolder(flags: Flags, io: Io): string {
  const cwd = resolve(io.cwd, flags.cwd ?? ".");
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new RefusalError({ reason: "usage_error", message: `--cwd ${cwd} is not a folder: name an existing one.` });
  return cwd;
}

export const diagnosticLog =
  (flags: Flags, io: Io) =>
  ({ level, line }: { readonly level: "info" | "warn"; readonly line: string }): void => {
    if (flags.verbose === true || level === "warn")
      say(io.stderr, `${level}: ${flags.verbose === true ? line : line.split("\n", 1)[0]}`);
  };

async function promptText(flags: Flags, io: Io): Promise<string> {
  const input = readInput(typeof flags.prompt === "string" ? flags.prompt : await readAll(io.stdin));
  if (input.type === "blank")
    throw new RefusalError({
      reason: "usage_error",
      message: 'There is no prompt: write evander -p "what to do", or pipe a text in.',
    });
  return input.text;
}

const SOURCE: Readonly<Record<"SIGINT" | "SIGTERM", InterruptSource>> = { SIGINT: "user", SIGTERM: "terminate" };

/** A signal stops the turn, not the program: the turn ends properly and is reported. One that comes early is not lost. */
class Stopper {
  readonly leave: () => void;
  private source: InterruptSource | undefined;
  private lane: Lane | undefined;
  private readonly stops: Promise<boolean>[] = [];
  private readonly early = Promise.withResolvers<never>();

  constructor(io: Io) {
    this.leave = io.onSignal((signal) => {
      this.source ??= SOURCE[signal];
      this.stop(this.source);
    });
    // Without anybody waiting, an early stop is nobody's rejection.
    this.early.promise.catch(() => undefined);
  }

  private stop(source: InterruptSource): void {
    const message = "Stopped before the turn began.";
    this.early.reject(new RefusalError({ reason: "interrupted_by_user", message, interruptedBy: source }));
    if (this.lane !== undefined) this.stops.push(this.lane.interrupt(source));
  }

  /** Waits for something that comes before the turn; a signal ends the wait. */
  before<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.early.promise]);
  }

  /** Shows the turn as it happens and waits for its end. */
  async watch(turn: Turn, lane: Lane, output: Output): Promise<TurnResult> {
    this.lane = lane;
    if (this.source !== undefined) this.stop(this.source);
    for await (const event of turn) output.event(event);
    const result = await turn.result;
    await Promise.allSettled(this.stops);
    return result;
  }
}
