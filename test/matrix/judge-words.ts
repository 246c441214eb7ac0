import type { TurnResult } from "../../src/protocol/result.ts";
import type { Seen } from "./cell.ts";
import type { Expected } from "./fault.ts";
import { sentences } from "./sentences.ts";

/** Longer is not read, characters. */
const LONGEST_TOLD = 500;

/** What is no word for people. */
const UNFIT: readonly (readonly [what: string, pattern: RegExp])[] = [
  ["markup", /<\/?[a-z!][^>]*>/i],
  ["a stack", /^\s+at .+:\d+/m],
  ["a value without words", /\bundefined\b|\[object |\bNaN\b/],
  ["a control character", /(?!\n)\p{Cc}/u],
];

/** What people are told of an end that is none of theirs: the cause and a next step, in words (row J3). */
export function judgeWords(expected: Expected, { always, key }: Seen): string[] {
  const { result } = always;
  if (expected.code === 0) return sentences([[result.error !== null, `an error is told: ${result.error?.message}`]]);
  const told = toldIn(result);
  const { says = /./ } = expected;
  return [
    ...(expected.answer === undefined ? judgeError(result) : []),
    ...UNFIT.flatMap(([what, pattern]) => (pattern.test(told) ? [`${what} is told: ${JSON.stringify(told)}`] : [])),
    ...sentences([
      [!/^\S.{9,}[.。]$/su.test(result.exit.explain ?? ""), `the end is explained with ${result.exit.explain}`],
      [!says.test(told), `nothing is said of ${says.source}: ${JSON.stringify(told)}`],
      [told.includes(key), "the key is told"],
    ]),
  ];
}

const toldIn = ({ exit, error }: TurnResult): string =>
  [exit.explain ?? "", error?.message ?? "", ...exit.next.map(({ text }) => text)].join("\n");

/** Where there is no answer. */
function judgeError({ exit, error }: TurnResult): string[] {
  const message = error?.message ?? "";
  return sentences([
    [exit.next.length === 0, "no next step is told"],
    [!/\w{3,} \w{2,}/.test(message), `the error is told as ${JSON.stringify(message)}`],
    [message.length > LONGEST_TOLD, `the error has ${message.length} characters`],
  ]);
}
