import { isObject, type Json } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";
import { onlyReads } from "./plain-reading.ts";

const commandIn = (input: Json): string => {
  const command = isObject(input) ? input["command"] : undefined;
  return typeof command === "string" ? command : "";
};

/** All of the folder it works in. */
const WHOLE_FOLDER = /^(?:sudo )?(?:rm|chmod|chown|chgrp)\b.* (?:\.|\.\/|\*|\.\/\*|"?\$(?:PWD|\{PWD\})"?)$/u;

/** Rules of docs/decisions/0050-commands-are-judged-by-what-they-are-known-to-do.md. */
export const COMMAND_DEVIATIONS: readonly Deviation[] = [
  {
    area: "dangerous_command",
    applies: (input, expect) => isObject(expect) && expect["dangerous"] === false && !onlyReads(commandIn(input)),
    ours: () => ({ dangerous: true }),
    reason:
      "what is not known to only read in the working folder is asked about; there is no list of what is dangerous",
    spec: "security.md 3, unknown means ask; C3",
  },
  {
    area: "hardline_command",
    applies: (input) => WHOLE_FOLDER.test(commandIn(input)),
    ours: () => ({ blocked_always: true }),
    reason: "the working folder itself is not deleted or given other rights as a whole",
    spec: "security.md C4",
  },
  {
    area: "hardline_command",
    applies: (input) => /(?:\|\s*|<<<?.*|^)sudo\b.*\s(?:-\w*[SA]\b|--stdin|--askpass)/su.test(commandIn(input)),
    ours: () => ({ blocked_always: true }),
    reason: "a password from text is refused with the rest of the floor, where the recording refuses it elsewhere",
    spec: "security.md C3, sudo -S",
  },
];
