import type { Fact } from "../../src/protocol/fact.ts";
import { type Cell, type Seen, victimOf } from "./cell.ts";
import { type Expected, expectedFor } from "./fault.ts";
import type { TurnSeen } from "./scene.ts";
import { judgeWords } from "./judge-words.ts";
import { sentences } from "./sentences.ts";

/** Of one call of one model. */
const MOST_ATTEMPTS = 5;

const expectedOf = (cell: Cell): Expected => expectedFor(cell.fault, victimOf(cell));

/** All that is wrong in what came of a fault, one sentence each. */
export function judge(cell: Cell, seen: Seen): string[] {
  const expected = expectedOf(cell);
  const attempts = attemptsIn(seen);
  return [
    ...seen.violations.map((what) => `illegal: ${what}`),
    ...seen.leaks.map((place) => `the key stands in ${place}`),
    ...judgeEnd(expected, seen.always),
    ...judgeWords(expected, seen),
    ...(seen.backed === undefined ? [] : judgeBacked(expected, seen.backed)),
    ...(seen.keyed === undefined ? [] : judgeKeyed(expected, seen.keyed)),
    ...(seen.once === undefined ? [] : judgeOnce(expected, seen.once)),
    ...sentences([[attempts > MOST_ATTEMPTS, `${attempts} attempts`]]),
    ...(seen.spared === undefined ? [] : judgeSpared(seen.spared)),
    ...(seen.after.result.answer === "Hello" ? [] : [`the turn behind it ended as ${seen.after.result.exit.reason}`]),
  ];
}

function judgeEnd(expected: Expected, { result, facts }: TurnSeen): string[] {
  const { exit } = result;
  const reasons = reasonsOf(facts).join(", ") || "none";
  const reason = expected.reason ?? "none";
  const steps = stepsOf(facts);
  return sentences([
    [reasons !== reason, `reason ${reasons}, not ${reason}`],
    [!sameSteps(steps, expected.does), `did [${steps.join(", ")}], not [${expected.does.join(", ")}]`],
    [
      exit.reason !== expected.exit || exit.code !== expected.code,
      `ended as ${exit.reason} ${exit.code}, not ${expected.exit} ${expected.code}`,
    ],
    [!isAnswer(result.answer, expected.answer), `the answer is ${JSON.stringify(result.answer?.slice(0, 80) ?? null)}`],
  ]);
}

const isAnswer = (answer: string | null, expected: Expected["answer"] = null): boolean =>
  expected instanceof RegExp ? expected.test(answer ?? "") : answer === expected;

/** Each once. */
const reasonsOf = (facts: readonly Fact[]): string[] => [
  ...new Set(facts.flatMap((fact) => (fact.type === "model-failure" ? [fact.failure.reason] : []))),
];

/** What was done in a turn, in the words of `Expected`. */
const stepsOf = (facts: readonly Fact[]): string[] => facts.map(stepOf).filter((step) => step !== undefined);

function stepOf(fact: Fact): string | undefined {
  switch (fact.type) {
    case "retry-scheduled":
      return fact.delayMs === 0 ? "go on" : `wait ${Math.round(fact.delayMs)}`;
    case "model-switched":
      return "switch";
    case "key-rotated":
      return "rotate the key";
    case "history-compacted":
      return "compact";
    case "compaction-failed":
      return "cannot compact";
    case "reply-cut":
      return "cut short";
    case "reply-empty":
      return "empty";
    case "segment-start":
      return "run tools";
    case "receipt":
      return fact.message.status === "ok" ? undefined : "refuse a call";
    case "request-adjusted":
      return adjusted(fact.adjustment);
    default:
      return undefined;
  }
}

function adjusted(adjustment: object): string {
  const [name = ""] = Object.keys(adjustment);
  if (name === "withoutTool") return "without the tool";
  return name === "maxOutput" ? "less output" : `without ${name}`;
}

function sameSteps(steps: readonly string[], expected: readonly string[]): boolean {
  return steps.length === expected.length && expected.every((step, at) => isStep(steps[at] ?? "", step));
}

/** `wait` is any wait but none; `wait 3000..9000` is one between. */
function isStep(step: string, expected: string): boolean {
  if (!expected.startsWith("wait")) return step === expected;
  const [from = 1, to = from] = (expected.split(" ")[1] ?? "").split("..").filter(Boolean).map(Number);
  const ms = /^wait (\d+)$/.exec(step)?.[1];
  if (ms === undefined) return false;
  return expected === "wait" || (Number(ms) >= from && Number(ms) <= to);
}

function judgeOnce(expected: Expected, { result }: TurnSeen): string[] {
  const passed = result.answer !== null && result.exit.code === 0;
  return passed === expected.passes
    ? []
    : [`where it comes once, the turn ended as ${result.exit.reason}${passed ? ", in spite of it" : ""}`];
}

/** Another model stands behind the one that fails. */
const judgeBacked = ({ backed = ["switch"], exit }: Expected, turn: TurnSeen): string[] =>
  judgeHelped("another model", { does: backed, by: "switch", exit }, turn);

/** Another key lies behind the one that fails. */
const judgeKeyed = ({ keyed = [], exit }: Expected, turn: TurnSeen): string[] =>
  judgeHelped("another key", { does: keyed, by: "rotate the key", exit }, turn);

interface Help extends Pick<Expected, "does" | "exit"> {
  /** The step that brings the answer. */
  readonly by: string;
}

function judgeHelped(what: string, { does, by, exit }: Help, { result, facts }: TurnSeen): string[] {
  const steps = stepsOf(facts);
  const helps = does.at(-1) === by;
  const answered = result.exit.code === 0 && result.answer?.endsWith("Hello") === true;
  return sentences([
    [!sameSteps(steps, does), `with ${what}, did [${steps.join(", ")}], not [${does.join(", ")}]`],
    [
      helps ? !answered : result.exit.reason !== exit,
      `with ${what}, ended as ${result.exit.reason}: ${JSON.stringify(result.answer)}`,
    ],
  ]);
}

/** Nobody asks; people are told how long it takes. */
const judgeSpared = ({ requests, result }: TurnSeen): string[] =>
  sentences([
    [requests > 0, `a server that wants to be left alone was asked ${requests} times`],
    [(result.error?.retryAfterMs ?? 0) <= 0, `nobody is told how long it takes: ${JSON.stringify(result.error)}`],
    [result.exit.next.length === 0, "no next step is told"],
  ]);

/** How often the model call was tried that was tried most, behind the newest text it brought. */
export const attemptsIn = ({ always, once, backed, keyed, after }: Seen): number =>
  Math.max(...[always, once, backed, keyed, after].map(triesIn));

function triesIn(turn: TurnSeen | undefined): number {
  let [most, tries, call, text] = [0, 0, "", ""];
  for (const fact of turn?.facts ?? []) {
    if (fact.type === "attempt-start") {
      const asked = `${fact.iteration} ${fact.model}`;
      tries = asked === call ? tries + 1 : 1;
      call = asked;
    }
    most = Math.max(most, tries);
    const shown = fact.type === "model-failure" ? (fact.partial?.text ?? "") : "";
    if (shown !== "" && shown !== text) [tries, text] = [0, shown];
  }
  return most;
}
