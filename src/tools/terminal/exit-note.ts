/** Exit codes that are an answer, not a failure (Hermes §26.7). */
const MEANINGS: readonly (readonly [programs: readonly string[], code: number, meaning: string])[] = [
  [["grep", "egrep", "fgrep", "rg", "ag", "ack"], 1, "no line matched"],
  [["diff", "colordiff"], 1, "the files differ"],
  [["find"], 1, "some folders could not be read"],
  [["test", "["], 1, "the condition is false"],
  [["git"], 1, "often a plain answer, such as that there are differences"],
  [["curl"], 6, "the host name could not be resolved"],
  [["curl"], 7, "the connection was refused"],
  [["curl"], 22, "the server answered with an error status"],
  [["curl"], 28, "the time limit was reached"],
];

/** What a code other than 0 means for the last program of the command, when that is well known. */
export function exitNote(command: string, code: number): string | undefined {
  const last = command.split(/\|\||&&|[|;]/).at(-1) ?? "";
  const program = last
    .trim()
    .split(/\s+/)
    .find((word) => !/^\w+=/.test(word));
  const name = program?.split("/").at(-1) ?? "";
  return MEANINGS.find(([programs, known]) => known === code && programs.includes(name))?.[2];
}
