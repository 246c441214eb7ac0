import { ApprovalDesk } from "../support/approval-desk.ts";
import { StoreError } from "../../src/protocol/store.ts";
import { decideQuestion, openQuestions } from "../../src/session/approvals.ts";
import type { Lane } from "../../src/session/lane.ts";
import { APPROVAL_MS } from "../../src/turn/state.ts";
import { dice } from "../support/dice.ts";

/** What people do to one question, all at once; each comes when the dice say so. */
const MOVES = ["yes", "yes again", "no", "resume", "stop", "time passes", "changes"] as const;
type Move = (typeof MOVES)[number];

export interface Raced {
  readonly races: number;
  readonly ran: number;
  /** Calls that ran twice, without a yes that was taken, after it had run out of time, or as something else. */
  readonly wrong: readonly string[];
}

export async function approvalRaces(races: number, seed: number): Promise<Raced> {
  const wrong: string[] = [];
  let ran = 0;
  for (let race = 0; race < races; race++) {
    const roll = dice(seed + race);
    const [runs, trouble] = await (race % 2 === 0 ? raceHere(roll) : raceElsewhere(roll));
    ran += runs;
    if (trouble !== undefined) wrong.push(`seed ${seed + race}: ${trouble}`);
  }
  return { races, ran, wrong };
}

type Outcome = readonly [runs: number, trouble: string | undefined];

/** Everybody talks to the process that asks. */
async function raceHere(roll: () => number): Promise<Outcome> {
  const desk = new ApprovalDesk("plan");
  const lane = await desk.lane(roll() < 0.5 ? "ask" : "park");
  const running = lane.run("go");
  for await (const event of running) if (event.type === "approval-requested") break;
  const [question] = lane.asked;
  const notes: Notes = { taken: 0, changed: false };
  const moves = Array.from(
    { length: 3 + Math.floor(roll() * 4) },
    () => MOVES[Math.floor(roll() * MOVES.length)] ?? "no",
  );
  await Promise.all(
    moves.map((move) => later(roll, () => act(move, { desk, lane, id: question?.approvalId ?? "", notes }))),
  );
  // Whatever still waits is stopped: nothing may run by then.
  const before = desk.ran.length;
  while (lane.unfinished) {
    await lane.interrupt("user");
    await (lane.running ?? lane.resume().result);
  }
  return [before, troubleIn(desk, notes)];
}

interface Notes {
  /** How many were told that their yes was taken. */
  taken: number;
  changed: boolean;
}

interface Table {
  readonly desk: ApprovalDesk;
  readonly lane: Lane;
  readonly id: string;
  readonly notes: Notes;
}

async function act(move: Move, { desk, lane, id, notes }: Table): Promise<void> {
  switch (move) {
    case "yes":
    case "yes again":
      if (await lane.approve(id, true)) notes.taken++;
      return;
    case "no":
      await lane.approve(id, false);
      return;
    case "resume":
      if (lane.unfinished && lane.running === undefined) await lane.resume().result;
      return;
    case "stop":
      await lane.interrupt("user");
      return;
    case "time passes":
      desk.nowMs += APPROVAL_MS + 1;
      return;
    case "changes":
      notes.changed ||= desk.ran.length === 0;
      desk.digest = "other";
  }
}

/** Two approvers in two other processes; then whoever comes first goes on with the turn. */
async function raceElsewhere(roll: () => number): Promise<Outcome> {
  const desk = new ApprovalDesk("plan");
  const asking = await desk.lane("park");
  await asking.run("go").result;
  asking.release();
  const [question] = openQuestions(desk.store);
  const notes: Notes = { taken: 0, changed: false };
  const decide = async (allow: boolean): Promise<void> => {
    if (question === undefined) return;
    try {
      const left = await decideQuestion(desk.store, question, { allow });
      if (left !== undefined && allow) notes.taken++;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  };
  const goOn = async (): Promise<void> => {
    try {
      const lane = await desk.lane("park");
      if (lane.unfinished) await lane.resume().result;
      lane.release();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  };
  const moves = [() => decide(true), () => decide(true), () => decide(roll() < 0.5), goOn, goOn];
  await Promise.all(moves.map((move) => later(roll, move)));
  await goOn();
  return [desk.ran.length, troubleIn(desk, notes)];
}

async function later(roll: () => number, move: () => Promise<void>): Promise<void> {
  for (let ticks = Math.floor(roll() * 20); ticks > 0; ticks--) await Promise.resolve();
  if (roll() < 0.3) await new Promise((resolve) => setImmediate(resolve));
  await move();
}

function troubleIn(desk: ApprovalDesk, { taken, changed }: Notes): string | undefined {
  const facts = desk.facts();
  const runs = desk.ran.length;
  const yes = facts.filter((fact) => fact.type === "approval-decided" && fact.allow).length;
  desk.store.close();
  if (runs > 1) return `it ran ${runs} times`;
  if (runs > 0 && taken === 0) return "it ran, and nobody's yes was taken";
  if (taken !== yes) return `${taken} were told that their yes was taken, and ${yes} are kept`;
  const asks = facts.filter((fact) => fact.type === "approval-requested").length;
  if (yes > asks) return "one question was answered twice";
  return changed && runs > 0 && desk.ran[0]?.approvedPlan !== desk.digest
    ? "something else ran than was allowed"
    : undefined;
}
