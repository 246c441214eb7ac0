import type { Store } from "../../protocol/store.ts";
import type { Past } from "../../session/replay/past.ts";
import type { TurnEnd } from "../../session/turn.ts";
import { providerRefusal } from "../../session/result.ts";
import { leftTurn, whyLeft } from "../../session/unfinished.ts";
import { type Text, wordsIn } from "../../words/language.ts";
import { replayed } from "../../words/prompt.ts";
import { childResumed, closedNow, goesOnNow } from "../../words/open-turns.ts";
import { NOTHING_UNFINISHED } from "../../words/usage.ts";
import type { Runtime, RuntimeOptions } from "../adapters.ts";
import { languageFor } from "../flags.ts";
import { say } from "../io.ts";
import { runnable, withFlags, withNextProvider, withoutRecord } from "../next-steps.ts";
import type { Output } from "../output.ts";
import { Proposals, type Proposed } from "../proposals.ts";
import { existingSession, failureResult, RefusalError, usageRefusal } from "../refusal.ts";
import { findModel, openRuntime, type Place, placeOf, type Run } from "../set-up.ts";
import { askedSession } from "./asked-session.ts";
import { checkFlags, readPrompt } from "./input.ts";
import { beginOnce, endOfKey, type Once, sessionOfKey } from "./once.ts";
import { type Begun, openQuestions, Stopper } from "./stopper.ts";

/** One run of the program without a person. */
export interface Headless extends Run {
  readonly output: Output;
}

/** `evander -p`: one turn, one result, its exit code. */
export async function runPrompt(run: Headless): Promise<number> {
  const { flags, io, adapters, output } = run;
  return report(run, async (stopper) => {
    checkFlags(flags);
    const prompt = await readPrompt(run, stopper);
    const { idempotencyKey: key } = flags;
    const language = languageFor(flags, io.env);
    const once = key === undefined ? undefined : { key, prompt, language };
    const place = await stopper.before(placeOf(run, false));
    const known = once && (await knownEnd(once, run, place));
    if (known !== undefined) return known;
    const begin: Begin = async ({ sessions }, store) => {
      const { newSessionId } = adapters;
      const tell = (words: Text): void => output.warning("fork_moved", wordsIn(words, language));
      const resumed = await askedSession(flags, store, { newSessionId, tell });
      if (once !== undefined) return beginOnce(once, { store, sessions, sessionId: resumed ?? sessionOfKey(once.key) });
      const sessionId = resumed ?? newSessionId();
      const left = resumed === undefined ? undefined : leftTurn(store, resumed);
      if (left !== undefined) output.warning("turn_closed", wordsIn(closedNow(whyLeft(left, Date.now())), language));
      const { text, attachments } = prompt;
      return { turn: await sessions.start(sessionId, text, { attachments }), lane: await sessions.lane(sessionId) };
    };
    return headlessTurn(run, stopper, { ...place, approvals: "never", begin });
  });
}

/** What was answered under this key before is printed again, without a model and without looking for one. */
async function knownEnd(
  once: Once,
  { flags, io, adapters }: Headless,
  { config }: Place,
): Promise<TurnEnd | undefined> {
  const store = await adapters.openStore({ folder: config.store, ...config.settings });
  try {
    const end = await endOfKey(store, once);
    if (end !== undefined && flags.quiet !== true)
      say(io.stderr, `evander: ${wordsIn(replayed(once.key), once.language)}`);
    return end;
  } finally {
    store.close();
  }
}

/**
 * `evander session resume ID --continue`: goes on with the turn that a crash or an approval left unfinished (row G3).
 * What still waits for a person is asked at a terminal; without one it goes on waiting.
 */
export async function runResume(run: Headless, asked: string): Promise<number> {
  const approvals = run.io.stdin.isTTY === true ? "ask" : "park";
  const begin: Begin = async ({ sessions }, store) => {
    const sessionId = existingSession(store, asked);
    const left = leftTurn(store, sessionId);
    const why = left && whyLeft(left, Date.now());
    const madeFor = store.openTurns().find((turn) => turn.sessionId === sessionId)?.madeFor;
    if (madeFor?.purpose === "child") throw usageRefusal(childResumed(madeFor.sessionId), { sessionId });
    const lane = await sessions.lane(sessionId);
    if (!lane.unfinished) throw usageRefusal(NOTHING_UNFINISHED, { sessionId });
    if (why !== undefined)
      run.output.warning("turn_resumed", wordsIn(goesOnNow(why), languageFor(run.flags, run.io.env)));
    return { turn: lane.resume(), lane };
  };
  return report(run, async (stopper) =>
    headlessTurn(run, stopper, { ...(await stopper.before(placeOf(run, false))), approvals, begin }),
  );
}

interface Goes {
  readonly sessionId: string;
  readonly past: Past;
}

/** `evander turn replay --from`: what another turn had come to goes on in a session of its own; `place` makes that. */
export async function runFrom(run: Headless, place: (store: Store) => Promise<Goes>): Promise<number> {
  const begin: Begin = async ({ sessions }, store) => {
    const { sessionId, past } = await place(store);
    return { turn: await sessions.takeOver(sessionId, past), lane: await sessions.lane(sessionId) };
  };
  return report(run, async (stopper) =>
    headlessTurn(run, stopper, { ...(await stopper.before(placeOf(run, false))), approvals: "never", begin }),
  );
}

/** Every refusal and every fault becomes a result too: there is always one. */
async function report(run: Headless, work: (stopper: Stopper) => Promise<TurnEnd>): Promise<number> {
  const { flags, io, output } = run;
  const stopper = new Stopper(io);
  const ended = await work(stopper).catch((error: unknown) => failed(error, run));
  stopper.leave();
  const told = withFlags(flags.save === false ? withoutRecord(ended.result) : ended.result, flags, io.env);
  output.result(flags.messages === true ? { ...told, messages: ended.messages } : told);
  return told.exit.code;
}

function failed(error: unknown, { flags, io }: Headless): TurnEnd {
  const language = languageFor(flags, io.env);
  return { result: failureResult(error, io, { ...flags, verbose: flags.verbose === true, language }), messages: [] };
}

type Begin = (runtime: Runtime, store: Store) => Promise<Begun | TurnEnd>;

interface Work extends Place {
  /** Where nothing else was said. */
  readonly approvals: RuntimeOptions["approvals"];
  readonly begin: Begin;
}

async function headlessTurn(run: Headless, stopper: Stopper, work: Work): Promise<TurnEnd> {
  const { flags, io, adapters, output } = run;
  const { settings, store: folder } = work.config;
  const approvals = settings.approve ?? work.approvals;
  const language = languageFor(flags, io.env);
  const search = await stopper.before(findModel(run, work));
  if (search.type === "none") throw new RefusalError(providerRefusal(search));
  const store = await (flags.save === false ? adapters.memoryStore() : adapters.openStore({ folder, ...settings }));
  const proposals = new Proposals();
  const tell = { proposed: (it: Proposed) => proposals.add(it), serverTrouble: (it: Text) => proposals.trouble(it) };
  const runtime = await openRuntime(run, work, { model: search, store, approvals, attended: false, ...tell });
  const surface = await output.open();
  const questions = approvals === "ask" ? await openQuestions(run, stopper, surface) : undefined;
  try {
    for (const { code, message } of runtime.warnings) output.warning(code, wordsIn(message, language));
    const begun = await work.begin(runtime, store);
    if (!("turn" in begun)) return begun;
    output.begin(begun.lane);
    const end = await stopper.watch(begun, output, questions);
    const others = search.type === "found" ? (search.others ?? []) : [];
    return { ...end, result: withNextProvider(end.result, others, language) };
  } finally {
    questions?.close();
    await runtime.close();
    await tellProposals(proposals, run);
  }
}

async function tellProposals(proposals: Proposals, { flags, io, output }: Headless): Promise<void> {
  for (const sentence of proposals.takeTroubles())
    output.warning("server_unused", sentence[languageFor(flags, io.env)]);
  const fresh = proposals.take();
  if (fresh.length === 0) return;
  const { changesWaitIn } = await import("../../words/proposals.ts");
  for (const [of, count] of fresh) {
    const command = runnable(`evander ${of} review`, io.env);
    output.warning("change_waits", changesWaitIn(of, count, command)[languageFor(flags, io.env)]);
  }
}
