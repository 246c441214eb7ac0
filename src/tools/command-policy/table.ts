import { firstProblem, parseWords, unknownOption, type Judge, type Syntax } from "./options.ts";

type Operands = "none" | "text" | "paths" | "one-path";

export function program(name: string, operands: Operands, syntax: Syntax = {}): [string, Judge] {
  return [
    name,
    (words, setting) => {
      const parsed = parseWords(words, syntax);
      if (typeof parsed === "string") return unknownOption(name, parsed);
      const most = { none: 0, text: Infinity, paths: Infinity, "one-path": 1 }[operands];
      if (parsed.operands.length > most) return `${name} with ${parsed.operands.length} operands may change something.`;
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
