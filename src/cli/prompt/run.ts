import type { TurnResult } from "../../protocol/result.ts";
import type { Store } from "../../protocol/store.ts";
import { readInput } from "../../session/input.ts";
import type { Adapters, Runtime, RuntimeOptions } from "../adapters.ts";
import { type Flags, languageFor } from "../flags.ts";
import { type Io, readAll, say } from "../io.ts";
import { withFlags } from "../next-steps.ts";
import type { Output } from "../output.ts";
import { existingSession, failureResult, RefusalError } from "../refusal.ts";
import { configOf, diagnosticLog, guardedFolders, workingFolder } from "../set-up.ts";
import { type Begun, openQuestions, Stopper } from "./stopper.ts";

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
    const text = await promptText(flags, io, stopper);
    const begin: Begin = async ({ sessions }, store) => {
      const sessionId = flags.resume === undefined ? adapters.newSessionId() : existingSession(store, flags.resume);
      return { turn: await sessions.start(sessionId, text), lane: await sessions.lane(sessionId) };
    };
    return headlessTurn(run, stopper, { approvals: "never", begin });
  });
}

/**
 * `evander session resume ID --continue`: goes on with the turn that a crash or an approval left unfinished (row G3).
 * What still waits for a person is asked at a terminal; without one it goes on waiting.
 */
export async function runResume(run: Headless, asked: string): Promise<number> {
  const approvals = run.io.stdin.isTTY === true ? "ask" : "park";
  const begin: Begin = async ({ sessions }, store) => {
    const sessionId = existingSession(store, asked);
    const lane = await sessions.lane(sessionId);
    if (lane.unfinished) return { turn: lane.resume(), lane };
    const message = "The last turn of this session has ended: there is nothing to go on with.";
    throw new RefusalError({ reason: "usage_error", message, sessionId });
  };
  return report(run, (stopper) => headlessTurn(run, stopper, { approvals, begin }));
}

/** Every refusal and every fault becomes a result too: there is always one. */
async function report(run: Headless, work: (stopper: Stopper) => Promise<TurnResult>): Promise<number> {
  const { flags, io, output } = run;
  const stopper = new Stopper(io);
  const ended = await work(stopper).catch((error: unknown) =>
    failureResult(error, io, { verbose: flags.verbose === true, language: languageFor(flags, io.env) }),
  );
  stopper.leave();
  const result = withFlags(ended, flags, io.env);
  output.result(result);
  return result.exit.code;
}

type Begin = (runtime: Runtime, store: Store) => Promise<Begun>;

interface Work {
  /** Where nothing else was said. */
  readonly approvals: RuntimeOptions["approvals"];
  readonly begin: Begin;
}

async function headlessTurn(run: Headless, stopper: Stopper, work: Work): Promise<TurnResult> {
  const { flags, io, adapters, output } = run;
  const cwd = workingFolder(flags, io);
  const config = await stopper.before(configOf(flags, io, { cwd, attended: false }));
  const { settings } = config;
  const approvals = settings.approve ?? work.approvals;
  const search = await stopper.before(adapters.findModel(settings));
  if (search.type === "none") throw new RefusalError({ reason: "no_provider", code: search.cause, ...search });
  const store = await adapters.openStore({ folder: config.store, ...settings });
  const log = diagnosticLog(flags, io);
  const runtime = await adapters.openRuntime({
    model: search,
    store,
    settings,
    cwd,
    guarded: guardedFolders(io, config, cwd),
    approvals,
    attended: false,
    log,
    language: languageFor(flags, io.env),
  });
  const questions = approvals === "ask" ? await openQuestions(io, stopper) : undefined;
  try {
    const begun = await work.begin(runtime, store);
    output.begin(begun.lane);
    return await stopper.watch(begun, output, questions);
  } finally {
    questions?.close();
    await runtime.close();
  }
}

async function promptText(flags: Flags, io: Io, stopper: Stopper): Promise<string> {
  const input = readInput(typeof flags.prompt === "string" ? flags.prompt : await stdinText(io, stopper));
  if (input.type === "blank")
    throw new RefusalError({
      reason: "usage_error",
      message: 'There is no prompt: write evander -p "what to do", or pipe a text in.',
    });
  return input.text;
}

async function stdinText(io: Io, stopper: Stopper): Promise<string> {
  if (io.stdin.isTTY === true) say(io.stderr, "Type the prompt; Ctrl-D on a line of its own ends it.");
  try {
    return await stopper.before(readAll(io.stdin));
  } catch (error) {
    // The terminal has written ^C where the cursor was.
    if (io.stdin.isTTY === true) say(io.stderr, "");
    throw error;
  } finally {
    // A read that nobody waits for any more would keep the process.
    io.stdin.destroy();
  }
}
