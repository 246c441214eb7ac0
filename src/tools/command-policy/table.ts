import { firstProblem, parseWords, unknownOption, type Judge, type Syntax } from "./options.ts";

type Operands = "none" | "text" | "paths" | "one-path";

export function program(name: string, operands: Operands, syntax: Syntax = {}): [string, Judge] {
  return [
    name,
    (words, setting) => {
      const parsed = parseWords(words, syntax);
      if (typeof parsed === "string") return unknownOption(name, parsed);
      const most = { none: 0, text: Infinity, paths: Infinity, "one-path": 1 }[operands];
      // Some stop reading options at the first operand: then an option behind it is a file that they write.
      const isLate = operands === "one-path" && parsed.operands[0] !== undefined && words.at(-1) !== parsed.operands[0];
      if (isLate || parsed.operands.length > most) return `${name} with more than one operand may change something.`;
      if (operands === "none" || operands === "text") return undefined;
      // Another system's version of the program may take a value for an operand, so values must be as free.
      return firstProblem(
        [...parsed.operands, ...parsed.values].filter((path) => path !== "-"),
        setting,
      );
    },
  ];
}

/** Every word is only text. */
export const words = (name: string): [string, Judge] => [name, () => undefined];
