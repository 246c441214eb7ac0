import { noFindings } from "../../../src/tools/command-policy/findings.ts";
import { commandPlace } from "../../../src/tools/command-policy/place.ts";
import { planCommand } from "../../../src/tools/command-policy/plan-command.ts";
import { walkCommand } from "../../../src/tools/command-policy/walk.ts";
import type { CommandPlace } from "../../../src/tools/command-policy/options.ts";
import { isObject, type Json } from "../case-file.ts";
import { objectOf, textOf, textOrNone } from "../input.ts";

const ENV = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/home/u", LANG: "C.UTF-8" };

/** The diary of the reference stands for the program's own state. */
function placeOf(work: string, cwd: string = work): CommandPlace {
  const guarded = [`${work}/memory`, `${work}/history.jsonl`];
  return commandPlace({ cwd: work, home: ENV.HOME, guarded }, cwd, ENV);
}

/**
 * `{command, cwd?, workspace?}`. The reference refuses or runs; here is a third answer, which asks a person: what it refuses must not
 * run unasked, and what it runs must not be refused to whoever agrees.
 */
export function shellGuardCase(input: Json): unknown {
  const { command, cwd, workspace } = objectOf(input, "input");
  const work = textOrNone(workspace) || textOrNone(cwd) || "/srv/ws";
  const { verdict } = planCommand(textOf(command, "command"), placeOf(work, textOrNone(cwd) || work), ENV);
  return { unasked: verdict.type === "auto", refused: verdict.type === "deny" };
}

export function shellGuardExpectation(expect: Json): Json {
  const { reason } = isObject(expect) ? expect : {};
  return typeof reason === "string" ? { unasked: false } : { refused: false };
}

/** What each program gets, instead of pieces of the text. */
export function shellSegmentsCase(input: Json): unknown {
  const found = noFindings();
  walkCommand(textOf(objectOf(input, "input")["command"], "command"), placeOf("/srv/ws"), found);
  return { programs: found.calls };
}
