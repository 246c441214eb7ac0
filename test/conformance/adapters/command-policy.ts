import { commandPlace } from "../../../src/tools/command-policy/place.ts";
import { planCommand } from "../../../src/tools/command-policy/plan-command.ts";
import type { Verdict } from "../../../src/protocol/approval.ts";
import type { Json, JsonObject } from "../case-file.ts";
import { objectOf, textOf } from "../input.ts";

const ENV = { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" };

interface Where {
  readonly cwd: string;
  readonly home: string;
  readonly own: string;
}

function judged(command: string, { cwd, home, own }: Where): Verdict {
  const env = { ...ENV, HOME: home };
  return planCommand(command, commandPlace({ cwd, home, guarded: [own] }, cwd, env), env).verdict;
}

/** `{command, home, agent_home, agent_name}` in a folder of that home; a variable of theirs stands for their folder. */
function recorded(input: Json): Verdict {
  const { command, home, agent_home: own } = objectOf(input, "input");
  const place = { home: textOf(home, "home"), own: textOf(own, "agent_home") };
  const text = textOf(command, "command").replaceAll(/\$\{?HERMES_HOME\}?/g, place.own);
  return judged(text, { ...place, cwd: `${place.home}/project` });
}

/** Dangerous: it does not run unasked. */
export const dangerousCommandCase = (input: Json): unknown => ({ dangerous: recorded(input).type !== "auto" });

export const hardlineCommandCase = (input: Json): unknown => ({ blocked_always: recorded(input).type === "deny" });

export function securityCommandUnsupported(input: Json): string | undefined {
  const { mode, ...given } = objectOf(input, "input");
  // Our control port: there is nothing that listens on one.
  if (/:8787\b|\b8787$/u.test(commandOf(given))) return "needs the gateway, a later part";
  return mode === "workspace" || mode === "read-only" ? "needs a sandbox, a later part" : undefined;
}

/** `ask` is passed by what is refused too; nothing else is. */
export function securityCommandExpectation(expect: Json): Json {
  if (expect === "auto") return { runs: true };
  return expect === "deny" ? { runs: false, refused: true } : { runs: false };
}

/** The fixture P0: the host itself, somebody there to be asked, and `agent` for the name of the program. */
export function securityCommandCase(input: Json): unknown {
  const given = objectOf(input, "input");
  const command = commandOf(given).replaceAll(/(?<=^|[\s/'"])agent(?=[\s'"]|$)/g, "evander");
  const verdict = judged(command, { cwd: "/home/u/ws", home: "/home/u", own: "/home/u/.agent" });
  // An owner who has chosen so at the command line is not asked; a file of the working folder chooses nothing.
  const isAsked = given["mode"] !== "full";
  return { runs: verdict.type === "auto" || (verdict.type === "ask" && !isAsked), refused: verdict.type === "deny" };
}

/** `{concat: [text, {repeat: [unit, times]}]}`, or the text itself. */
function commandOf({ command }: JsonObject): string {
  if (typeof command === "string") return command;
  const { concat } = objectOf(command, "command");
  return (concat as readonly Json[])
    .map((piece) => {
      if (typeof piece === "string") return piece;
      const [unit, times] = objectOf(piece, "piece")["repeat"] as readonly [string, number];
      return unit.repeat(times);
    })
    .join("");
}
