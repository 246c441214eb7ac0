import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Grant, RuleBook, Verdict } from "../../../src/protocol/approval.ts";
import type { WaitingCall } from "../../../src/protocol/outcome.ts";
import { grantsOf } from "../../../src/session/answer.ts";
import { commandPlace } from "../../../src/tools/command-policy/place.ts";
import { planCommand } from "../../../src/tools/command-policy/plan-command.ts";
import { openRuleBook } from "../../../src/tools/approval/rule-book.ts";
import type { Json, JsonObject } from "../case-file.ts";
import { listOf, objectOf, textOf } from "../input.ts";

/** Programs that recorded commands name. They are never run. */
const PROGRAMS = ["git", "npm", "ls", "find", "tar", "sudo", "rm", "echo", "id", "sh"];

/** A home with a working folder in it, and the programs outside of both. */
export class Ground {
  readonly root: string = realpathSync(mkdtempSync(join(tmpdir(), "evander-approvals-")));
  /** Where other programs of the same names are. */
  readonly others: string = join(this.root, "others");
  readonly home: string = join(this.root, "home");
  readonly work: string = join(this.home, "ws");
  /** Milliseconds since the epoch. */
  nowMs = 1_000_000;
  readonly rules: RuleBook = this.rulesOf(this.work);

  constructor() {
    for (const folder of [join(this.work, "src"), join(this.home, "other"), join(this.root, "bin"), this.others])
      mkdirSync(folder, { recursive: true });
    for (const file of PROGRAMS.flatMap((name) => [join(this.root, "bin", name), join(this.others, name)])) {
      writeFileSync(file, "");
      chmodSync(file, 0o755);
    }
  }

  judge(command: string, folder: string = this.work, more: Readonly<Record<string, string>> = {}): Verdict {
    const place = { cwd: this.work, home: this.home, guarded: [] };
    const env = { PATH: join(this.root, "bin"), ...more };
    return planCommand(command, commandPlace(place, folder, env), env).verdict;
  }

  /** As people have it who work in this folder, each with the same rules. */
  private rulesOf(cwd: string): RuleBook {
    let text: string | undefined;
    const change = (how: (text: string | undefined) => string): Promise<void> =>
      Promise.resolve().then(() => void (text = how(text)));
    const contentOf = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");
    return openRuleBook({ read: () => text, change }, { cwd, now: () => this.nowMs, contentOf });
  }

  remove(): void {
    rmSync(this.root, { recursive: true });
  }
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
function grantsFor(verdict: Verdict, ground: Ground): readonly Grant[] {
  if (verdict.type !== "ask" || verdict.plan === undefined) return [];
  const call: WaitingCall = { approvalId: "", callId: "", name: "terminal", input: "", why: "", plan: verdict.plan };
  return grantsOf(call, ground.rules, "s1");
}

const DAY_MS = 24 * 3_600_000;
/** Where it was learnt, which program that was, and how long nobody has used it. */
const OF_A_RULE = /^(?:argv_prefix|cwd|exe|program|(?:\w+_)?days(?:_\w+)?|mode|sandbox_mode)$/u;
const OF_A_CASE = /^(?:action|command|learned|mode|cwd|exe|exe_changed|program_changed)$/u;

/** A rule is made as a person makes one: by "always" to the plain command. */
export const allowlistCase = (input: Json): Promise<unknown> =>
  on(async (ground) => {
    const given = objectOf(input, "input");
    const strange = Object.keys(given).find((name) => !OF_A_CASE.test(name));
    if (strange !== undefined) throw new Error(`nothing here knows what ${strange} is`);
    const command = textOf(given["command"], "command");
    if (given["action"] === "offer_always") return { offered: grantsFor(ground.judge(command), ground).length > 0 };
    const rules = listOf(given["learned"], "learned").map((rule) => objectOf(rule, "a rule"));
    for (const rule of rules) await learn(rule, ground);
    ground.nowMs += Math.max(0, ...rules.map(unusedMs));
    await ground.rules.ready();
    const changed = [given["exe_changed"], given["program_changed"]].includes(true) || given["exe"] !== undefined;
    const verdict = ground.judge(command, folderIn(given, ground), changed ? { PATH: ground.others } : {});
    return { runs: verdict.type === "auto" || isCovered(verdict, ground), refused: verdict.type === "deny" };
  });

function isCovered(verdict: Verdict, ground: Ground): boolean {
  const parts = verdict.type === "ask" ? (verdict.plan?.parts ?? []) : [];
  return ground.rules.covers(parts, "s1") !== undefined;
}

async function learn(rule: JsonObject, ground: Ground): Promise<void> {
  const strange = Object.keys(rule).find((name) => !OF_A_RULE.test(name));
  if (strange !== undefined) throw new Error(`nothing here knows what ${strange} of a rule is`);
  const isOther = rule["exe"] !== undefined || rule["program"] !== undefined;
  const path = isOther ? { PATH: ground.others } : {};
  const verdict = ground.judge(words(listOf(rule["argv_prefix"], "argv_prefix")), folderIn(rule, ground), path);
  await ground.rules.learn(grantsFor(verdict, ground), "always", "s1");
}

const folderIn = ({ cwd }: JsonObject, ground: Ground): string =>
  cwd === undefined ? ground.work : textOf(cwd, "cwd").replace("/home/u", ground.home);

/** The shortest time of those that are told: it was used then, or made. */
function unusedMs(rule: JsonObject): number {
  const days = Object.entries(rule).flatMap(([name, value]) =>
    /days/u.test(name) && typeof value === "number" ? [value] : [],
  );
  return days.length === 0 ? 0 : Math.min(...days) * DAY_MS;
}

/** `ask` is passed by what is refused too; nothing else is. */
export function allowlistExpectation(expect: Json): Json {
  if (expect === "auto") return { runs: true };
  if (expect === "deny") return { runs: false, refused: true };
  if (expect === "ask") return { runs: false };
  return expect === "offered" || expect === "not_offered" ? { offered: expect === "offered" } : expect;
}
