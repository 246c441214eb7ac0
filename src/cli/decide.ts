import { spelledOut } from "../session/plain-text.ts";
import { wordsIn } from "../words/language.ts";
import {
  askMake,
  decideStep,
  noSuchProposal,
  PROPOSAL_WORDS,
  type ProposalOf,
  reviewStep,
} from "../words/proposals.ts";
import { nextSteps } from "../words/steps.ts";
import { answerTo, isYes } from "./confirm.ts";
import type { Asked } from "./context.ts";
import { say, sayJson } from "./io.ts";
import { stepLine } from "./next-steps.ts";
import { RefusalError, usageRefusal } from "./refusal.ts";

/** Changes of notes or of skills that wait for a person. */
export interface Waiting {
  readonly of: ProposalOf;
  readonly proposals: readonly { readonly id: string; readonly change: object }[];
  /** Undefined: nothing of this id waits any more. Throws RefusalError where the change cannot be made; it waits on. */
  readonly decide: (id: string, accept: boolean) => Promise<object | undefined>;
}

/** Shows each; at a terminal each is asked for, and Enter leaves it. */
export async function decideEach(
  waiting: Waiting,
  linesOf: (at: number) => readonly string[],
  asked: Asked,
): Promise<void> {
  const { io, language } = asked;
  const { of, proposals } = waiting;
  if (proposals.length === 0) return say(io.stderr, PROPOSAL_WORDS.none[language]);
  const asks = io.stdin.isTTY === true;
  for (const [at, { id }] of proposals.entries()) {
    for (const line of linesOf(at)) say(io.stdout, line);
    if (asks) await askFor(id, waiting, asked);
  }
  const steps = asks
    ? []
    : [
        decideStep(
          of,
          proposals.map(({ id }) => id),
        ),
      ];
  for (const step of nextSteps(steps, undefined, language)) say(io.stderr, stepLine(step, io.env));
}

/** One that cannot be made is told, and the others are still asked for. */
async function askFor(id: string, waiting: Waiting, { io, language }: Asked): Promise<void> {
  const answer = await answerTo(io, askMake(spelledOut(id))[language]);
  const yes = isYes(answer);
  if (!yes && !/^no?$/iu.test(answer)) return say(io.stderr, PROPOSAL_WORDS.left[language]);
  try {
    await decided(id, yes, waiting);
    say(io.stderr, PROPOSAL_WORDS[yes ? "made" : "dropped"][language]);
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    say(io.stderr, spelledOut(wordsIn(error.refusal.message, language)));
  }
}

async function decided(id: string, accept: boolean, { of, decide }: Waiting): Promise<void> {
  if ((await decide(id, accept)) === undefined) throw gone(id, of);
}

const gone = (id: string, of: ProposalOf): RefusalError =>
  usageRefusal(noSuchProposal(spelledOut(id)), { code: "not_waiting", steps: [reviewStep(of)] });

export interface Decision {
  readonly accept: boolean;
  readonly dryRun?: boolean | undefined;
}

/** All are looked up before the first is decided: a mistyped one changes nothing. */
export async function decideNamed(
  waiting: Waiting,
  ids: readonly string[],
  { io, json, language, accept, dryRun = false }: Asked & Decision,
): Promise<void> {
  const { of, proposals } = waiting;
  if (ids.length === 0) throw usageRefusal(PROPOSAL_WORDS.which, { steps: [reviewStep(of)] });
  const wanted = ids.map((id) => {
    const found = proposals.find((proposal) => proposal.id === id);
    if (found === undefined) throw gone(id, of);
    return found;
  });
  const would = accept ? ("wouldMake" as const) : ("wouldDrop" as const);
  const outcome = dryRun ? would : accept ? "made" : "dropped";
  for (const { id, change } of wanted) {
    if (!dryRun) await decided(id, accept, waiting);
    if (json) sayJson(io, { id, change, made: outcome === "made", dropped: outcome === "dropped" });
    else say(io.stdout, `${PROPOSAL_WORDS[outcome][language]}: ${spelledOut(id)}`);
  }
}
