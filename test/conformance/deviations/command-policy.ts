import { isObject, type Json } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";

const commandIn = (input: Json): string => {
  const command = isObject(input) ? input["command"] : undefined;
  return typeof command === "string" ? command : "";
};

/** What it writes, where it reaches, or what nobody here knows to only read. */
const IS_MORE_THAN_READING =
  /[>]|\b(?:tee|sed -i|cp|mv|perl|apt|pseudosudo)\b|(?:^|\s)(?:~\/|\/(?:tmp|etc)\b)|[^\x20-\x7E]/u;

/** Rules of docs/decisions/0050-commands-are-judged-by-what-they-are-known-to-do.md. */
export const COMMAND_DEVIATIONS: readonly Deviation[] = [
  {
    area: "dangerous_command",
    applies: (input, expect) =>
      isObject(expect) && expect["dangerous"] === false && IS_MORE_THAN_READING.test(commandIn(input)),
    ours: () => ({ dangerous: true }),
    reason:
      "what is not known to only read in the working folder is asked about; there is no list of what is dangerous",
    spec: "security.md 3, unknown means ask; C3",
  },
  {
    area: "hardline_command",
    applies: (input) => /^(?:chmod|chown) -R \S+ \.$/u.test(commandIn(input)),
    ours: () => ({ blocked_always: true }),
    reason: "the working folder itself is not given other rights as a whole",
    spec: "security.md C4",
  },
  {
    area: "hardline_command",
    applies: (input) => /^echo \S+ \| sudo -S /u.test(commandIn(input)),
    ours: () => ({ blocked_always: true }),
    reason: "a password from text is refused with the rest of the floor, where the recording refuses it elsewhere",
    spec: "security.md C3, sudo -S",
  },
];
