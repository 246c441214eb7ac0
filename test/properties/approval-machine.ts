import assert from "node:assert/strict";
import type { RuleBook, Scope } from "../../src/protocol/approval.ts";
import type { Lane } from "../../src/session/lane.ts";
import type { Turn } from "../../src/session/turn.ts";
import type { ApprovalPolicy } from "../../src/turn/state.ts";
import { ApprovalDesk, PART, SESSION } from "../support/approval-desk.ts";

const KINDS = ["auto", "question", "plan", "never", "deny"] as const;
/** `here`: whoever runs the turn answers; `elsewhere`: another process goes on with the parked turn, under the next mode. */
const SURFACES = ["here", "elsewhere"] as const;
const MODES = ["never", "rules", "all", "park", "ask"] as const;
const ANSWERS = ["no", "once", "session", "always", "stop"] as const;
const RULES = ["none", "other session", "this session", "always"] as const;

type OneOf<T extends readonly unknown[]> = T[number];

export interface Case {
  readonly kind: OneOf<typeof KINDS>;
  readonly surface: OneOf<typeof SURFACES>;
  readonly mode: OneOf<typeof MODES>;
  readonly answer: OneOf<typeof ANSWERS>;
  readonly rule: OneOf<typeof RULES>;
  readonly tainted: boolean;
}

/** Every combination: whether somebody attends follows from the mode. */
export function cases(): Case[] {
  return KINDS.flatMap((kind) =>
    SURFACES.flatMap((surface) =>
      MODES.flatMap((mode) =>
        ANSWERS.flatMap((answer) =>
          RULES.flatMap((rule) => [true, false].map((tainted) => ({ kind, surface, mode, answer, rule, tainted }))),
        ),
      ),
    ),
  );
}

/** What must come of it, by the table of security §3.2 and nothing of ours. */
interface Expected {
  readonly asks: number;
  readonly runs: number;
  /** Rules that are made. */
  readonly learns: number;
}

const asksPeople = (mode: ApprovalPolicy): boolean => mode === "ask" || mode === "park";

/** Only a call that says what would run can be covered; who denies all or allows all looks at no rule. */
const isHeld = ({ kind, mode, rule }: Case): boolean =>
  kind === "plan" && mode !== "never" && mode !== "all" && (rule === "this session" || rule === "always");

function expected(one: Case): Expected {
  const { kind, mode, tainted } = one;
  if (kind === "deny") return { asks: 0, runs: 0, learns: 0 };
  const free = kind === "auto" || isHeld(one);
  // Of a tool that writes for later sessions a person is asked where one can be; else it is told, and asks nobody.
  if (asksPeople(mode) && (!free || tainted)) return afterAnswer(one);
  return { asks: 0, runs: free || mode === "all" ? 1 : 0, learns: 0 };
}

function afterAnswer(one: Case): Expected {
  const { answer: said, kind } = one;
  const scoped = said === "session" || said === "always";
  const learns = scoped && kind === "plan" && !isHeld(one);
  return { asks: 1, runs: scoped || said === "once" ? 1 : 0, learns: learns ? 1 : 0 };
}

/** Plays one combination and holds what happened against the table. */
export async function play(one: Case): Promise<void> {
  const label = JSON.stringify(one);
  const desk = new ApprovalDesk(one.kind, { lasts: true });
  await giveRule(desk.rules, one.rule);
  const before = (await desk.rules.list()).length;
  const lane = await desk.lane(one.mode);
  if (one.tainted)
    await lane.importMessages([{ role: "user", parts: [{ type: "text", text: "hi" }], tainted: "a page" }]);
  const asks = await turn(desk, lane, one);
  const { runs, ...rest } = expected(one);
  const learns = (await desk.rules.list()).length - before;
  assert.deepEqual({ asks, learns }, { asks: rest.asks, learns: rest.learns }, label);
  assert.equal(desk.ran.length, runs, label);
  const [context] = desk.ran;
  // Who was asked has read what was read before; nobody else writes for later sessions unwarned.
  if (context !== undefined) assert.equal(context.tainted !== undefined, one.tainted && asks === 0, label);
  const starts = desk.facts().filter((fact) => fact.type === "segment-start").length;
  assert.equal(starts, runs, `${label}: what is not allowed is not begun`);
  desk.store.close();
}

async function giveRule(rules: RuleBook, rule: Case["rule"]): Promise<void> {
  if (rule === "none" || PART.grant === undefined) return;
  await rules.learn([PART.grant], rule === "always" ? "always" : "session", rule === "other session" ? "t" : SESSION);
}

/** Runs the turn to its end: how often somebody was asked. */
async function turn(desk: ApprovalDesk, first: Lane, one: Case): Promise<number> {
  let lane = first;
  let asks = await watch(lane, lane.run("go"), one);
  while (lane.unfinished) {
    if (one.surface === "elsewhere") {
      lane.release();
      lane = await desk.lane(one.mode);
    }
    await answer(lane, one);
    asks += await watch(lane, lane.resume(), one);
  }
  return asks;
}

async function watch(lane: Lane, running: Turn, one: Case): Promise<number> {
  let asks = 0;
  for await (const event of running) {
    if (event.type !== "approval-requested") continue;
    asks++;
    if (one.mode === "ask") await answer(lane, one);
  }
  await running.result;
  return asks;
}

async function answer(lane: Lane, { answer: said }: Case): Promise<void> {
  for (const { approvalId } of lane.asked) {
    const scope: Scope | undefined = said === "session" || said === "always" ? said : undefined;
    await lane.approve(approvalId, said !== "no" && said !== "stop", scope);
  }
  if (said === "stop") await lane.interrupt("user");
}
