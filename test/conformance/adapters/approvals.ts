import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Grant, RuleBook, Verdict } from "../../../src/protocol/approval.ts";
import type { WaitingCall } from "../../../src/protocol/outcome.ts";
import { grantsOf } from "../../../src/session/answer.ts";
import { commandPlace } from "../../../src/tools/command-policy/place.ts";
import { planCommand } from "../../../src/tools/command-policy/plan-command.ts";
import { openRuleBook } from "../../../src/tools/approval/rule-book.ts";
import type { Json } from "../case-file.ts";
import { listOf, objectOf, textOf } from "../input.ts";

/** Programs that recorded commands name. They are never run. */
const PROGRAMS = ["git", "npm", "ls", "find", "tar", "sudo", "rm", "echo", "id", "sh"];

/** A home with a working folder in it, and the programs outside of both. */
export class Ground {
  readonly root: string = realpathSync(mkdtempSync(join(tmpdir(), "evander-approvals-")));
  readonly home: string = join(this.root, "home");
  readonly work: string = join(this.home, "ws");
  readonly rules: RuleBook = memoryRules(this.work);

  constructor() {
    for (const folder of [join(this.work, "src"), join(this.home, "other"), join(this.root, "bin")])
      mkdirSync(folder, { recursive: true });
    for (const name of PROGRAMS) {
      writeFileSync(join(this.root, "bin", name), "");
      chmodSync(join(this.root, "bin", name), 0o755);
    }
  }

  judge(command: string, folder: string = this.work, more: Readonly<Record<string, string>> = {}): Verdict {
    const place = { cwd: this.work, home: this.home, guarded: [] };
    const env = { PATH: join(this.root, "bin"), ...more };
    return planCommand(command, commandPlace(place, folder, env), env).verdict;
  }

  remove(): void {
    rmSync(this.root, { recursive: true });
  }
}

function memoryRules(cwd: string): RuleBook {
  let text: string | undefined;
  const change = (how: (text: string | undefined) => string): Promise<void> =>
    Promise.resolve().then(() => void (text = how(text)));
  const contentOf = (): undefined => undefined;
  return openRuleBook({ read: () => text, change }, { cwd, now: Date.now, contentOf });
}

export async function on<T>(work: (ground: Ground) => T | Promise<T>): Promise<T> {
  const ground = new Ground();
  try {
    return await work(ground);
  } finally {
    ground.remove();
  }
}

export const words = (list: readonly Json[]): string => list.map((word) => textOf(word, "a word")).join(" ");

/** What "always" would write for a command. */
function grantsFor(command: string, ground: Ground): readonly Grant[] {
  const verdict = ground.judge(command);
  if (verdict.type !== "ask" || verdict.plan === undefined) return [];
  const call: WaitingCall = { approvalId: "", callId: "", name: "terminal", input: "", why: "", plan: verdict.plan };
  return grantsOf(call, ground.rules, "s1");
}

/** A rule is made as a person makes one: by "always" to the plain command. */
export const allowlistCase = (input: Json): Promise<string> =>
  on(async (ground) => {
    const given = objectOf(input, "input");
    const command = textOf(given["command"], "command");
    if (given["action"] === "offer_always") return grantsFor(command, ground).length > 0 ? "offered" : "not_offered";
    for (const rule of listOf(given["learned"], "learned")) {
      const prefix = words(listOf(objectOf(rule, "a rule")["argv_prefix"], "argv_prefix"));
      await ground.rules.learn(grantsFor(prefix, ground), "always", "s1");
    }
    const verdict = ground.judge(command);
    if (verdict.type !== "ask") return verdict.type;
    const parts = verdict.plan?.parts ?? [];
    return ground.rules.covers(parts, "s1") === undefined ? "ask" : "auto";
  });
