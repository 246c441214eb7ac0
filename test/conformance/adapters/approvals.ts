import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Grant, RuleBook, Verdict } from "../../../src/protocol/approval.ts";
import type { WaitingCall } from "../../../src/protocol/outcome.ts";
import { grantsOf } from "../../../src/session/answer.ts";
import { commandPlace } from "../../../src/tools/command-policy/place.ts";
import { planCommand } from "../../../src/tools/command-policy/plan-command.ts";
import { openRuleBook } from "../../../src/tools/approval/rule-book.ts";
import { ApprovalDesk } from "../../support/approval-desk.ts";
import { isObject, type Json, type JsonObject } from "../case-file.ts";
import { listOf, objectOf, textOf } from "../input.ts";

/** Programs that recorded commands name. They are never run. */
const PROGRAMS = ["git", "npm", "ls", "find", "tar", "sudo", "rm", "echo", "id", "sh"];

/** A home with a working folder in it, and the programs outside of both. */
class Ground {
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

async function on<T>(work: (ground: Ground) => T | Promise<T>): Promise<T> {
  const ground = new Ground();
  try {
    return await work(ground);
  } finally {
    ground.remove();
  }
}

const words = (list: readonly Json[]): string => list.map((word) => textOf(word, "a word")).join(" ");

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

/** What a surface does that there is not yet. */
const NEEDS: readonly (readonly [is: (input: JsonObject) => boolean, needs: string])[] = [
  [({ answered_by: by, owner }) => by !== undefined || owner !== undefined, "channels"],
  [({ message_kind: kind, author }) => kind !== undefined || author !== undefined, "channels"],
  [({ surface, callback_mac: mac }) => mac !== undefined || surface === "chat button", "channels"],
  [({ surface }) => surface === "acp", "ACP"],
];

export function approvalUnsupported(input: Json): string | undefined {
  const given = objectOf(input, "input");
  const [, needs] = NEEDS.find(([is]) => is(given)) ?? [];
  return needs === undefined ? undefined : `needs ${needs}, a later part`;
}

export function approvalCase(input: Json): Promise<string> {
  const given = objectOf(input, "input");
  if (isObject(given["approved"] ?? null))
    return boundCase(objectOf(given["approved"], ""), objectOf(given["executed"], ""));
  if (Array.isArray(given["pending"])) return namedCase(given);
  if (given["event"] === "daemon restart") return restartCase();
  if (given["approver_crashes_in_callback"] === true) return crashedCase();
  if (given["event"] === "user sends /stop") return stoppedCase();
  throw new Error(`no such case: ${JSON.stringify(given)}`);
}

/** A yes that was given to one plan, and another one when it runs. */
const boundCase = (approved: JsonObject, executed: JsonObject): Promise<string> =>
  on(async (ground) => {
    const desk = new ApprovalDesk("plan");
    desk.digest = digestOf(approved, ground);
    const lane = await desk.lane("park");
    await lane.run("go").result;
    for (const { approvalId } of lane.asked) await lane.approve(approvalId, true);
    desk.digest = digestOf(executed, ground);
    if (executed["session"] === approved["session"]) await lane.resume().result;
    else await (await desk.lane("park", "another session")).run("go").result;
    desk.store.close();
    return desk.ran.length === 0 ? "refuse" : "run";
  });

function digestOf({ argv, cwd, env }: JsonObject, ground: Ground): string {
  const folder = textOf(cwd, "cwd").replace("/home/u", ground.home);
  const variables = Object.entries(objectOf(env, "env")).map(([name, value]) => [name, textOf(value, name)]);
  const verdict = ground.judge(words(listOf(argv, "argv")), folder, Object.fromEntries(variables));
  return verdict.type === "ask" ? (verdict.plan?.digest ?? "no plan") : verdict.type;
}

/** Two calls wait, and the answer names one. */
async function namedCase({ pending, id }: JsonObject): Promise<string> {
  const ids = listOf(pending, "pending").map((call) => textOf(objectOf(call, "a call")["tool_call"], "tool_call"));
  const desk = new ApprovalDesk("plan", { calls: ids });
  const lane = await desk.lane("park");
  await lane.run("go").result;
  await lane.approve(textOf(id, "id"), true);
  await lane.resume().result;
  desk.store.close();
  return `run only ${desk.ran.map(({ callId }) => callId).join(" and ")}`;
}

async function restartCase(): Promise<string> {
  const desk = new ApprovalDesk("plan");
  const before = await desk.lane("park");
  await before.run("go").result;
  before.release();
  const after = await desk.lane("park");
  await after.resume().result;
  const shown = after.asked.length > 0;
  desk.store.close();
  return desk.ran.length === 0 && shown ? "void or re-shown; never auto-run" : "run";
}

async function stoppedCase(): Promise<string> {
  const desk = new ApprovalDesk("plan");
  const lane = await desk.lane("ask");
  const turn = lane.run("go");
  for await (const event of turn) if (event.type === "approval-requested") await lane.interrupt("user");
  const [call] = lane.asked;
  desk.store.close();
  return desk.ran.length === 0 && call === undefined ? "void" : "run";
}

/** Whoever would answer dies over the question: nobody has said yes. */
async function crashedCase(): Promise<string> {
  const desk = new ApprovalDesk("plan");
  const lane = await desk.lane("ask");
  const turn = lane.run("go");
  const answering = async (): Promise<void> => {
    for await (const event of turn) if (event.type === "approval-requested") throw new Error("the approver died");
  };
  await answering().catch(() => lane.interrupt("user"));
  await turn.result;
  const [receipt] = desk.facts().filter((fact) => fact.type === "receipt");
  desk.store.close();
  return desk.ran.length === 0 && receipt?.message.status === "denied" ? "deny" : "run";
}
