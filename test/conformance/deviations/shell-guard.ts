import { isObject, type Json } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";
import { onlyReads } from "./plain-reading.ts";
import { writtenPrograms } from "./written-programs.ts";

const commandIn = (input: Json): string => {
  const command = isObject(input) ? input["command"] : undefined;
  return typeof command === "string" ? command : "";
};

const mustWait = (expect: Json): boolean => isObject(expect) && expect["unasked"] === false;

const GUARDS = ["shell_allow", "shell_deny", "shell_ssrf", "shell_workspace"];

const IN_BACKGROUND = /(?<![&<>|\d])&(?![&>])/u;
const QUOTED = /'[^']*'|"[^"]*"/gu;

/** Rules of docs/decisions/0054-paths-are-opened-part-by-part.md. */
export const SHELL_GUARD_DEVIATIONS: readonly Deviation[] = [
  {
    area: "shell_segments",
    applies: () => true,
    ours: (input) => ({ programs: writtenPrograms(commandIn(input)) }),
    reason: "a command is judged by what each of its programs gets, not by pieces of its text",
    spec: "security.md §3.1 C1",
  },
  {
    area: "shell_allow",
    applies: (input, expect) => mustWait(expect) && onlyReads(commandIn(input)),
    ours: () => ({ unasked: true, refused: false }),
    reason: "there are no lists of patterns: what only reads runs, and what people allow is matched word by word",
    spec: "security.md §3.2",
  },
  {
    area: "shell_ssrf",
    applies: (input, expect) => mustWait(expect) && onlyReads(commandIn(input)),
    ours: () => ({ unasked: true, refused: false }),
    reason: "an address that a program only prints or looks for is not opened",
    spec: "security.md §3.1 C1",
  },
  {
    area: "shell_workspace",
    applies: (input, expect) => mustWait(expect) && /^(?:cat|head|tail|grep \w+) file:\S*$/u.test(commandIn(input)),
    ours: () => ({ unasked: true, refused: false }),
    reason: "to a program that opens no addresses, file: is the name of a folder below this one",
    spec: "security.md §3.1 C1",
  },
  {
    area: "shell_deny",
    applies: (input, expect) => !mustWait(expect) && /history\.jsonl(?![\w.])|\.dream_cursor/u.test(commandIn(input)),
    ours: () => ({ unasked: false, refused: true }),
    reason: "the program's own state is out of reach of tools, also to read",
    spec: "security.md §3.1 C4, §3.4",
  },
  ...GUARDS.map((area): Deviation => ({
    area,
    applies: (input, expect) => !mustWait(expect) && IN_BACKGROUND.test(commandIn(input).replaceAll(QUOTED, "Q")),
    ours: () => ({ unasked: false, refused: true }),
    reason: "what is to go on beside a conversation is asked for as such, and looked after",
    spec: "hermes.md §16 (refused with advice)",
  })),
];
