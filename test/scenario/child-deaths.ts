import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Fact } from "../../src/protocol/fact.ts";
import type { StoredTurn } from "../../src/protocol/store.ts";
import { chargesOfTurn } from "../../src/session/spending.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { EndlessProvider } from "../support/endless-provider.ts";
import type { ReceivedRequest } from "../support/fake-provider.ts";
import { said } from "../support/said.ts";
import { callTools, say, type Step } from "../support/wire-script.ts";
import { Place, resultOf } from "./program.ts";

const GOALS = ["left", "right"] as const;

/** Goes by what it reads: a parent that gives two tasks, and children that each do one thing once. */
function answer({ body }: ReceivedRequest): Step {
  const last = body.messages.at(-1);
  const isChild = String(body.messages[0]?.content).startsWith("You are a child agent");
  if (!isChild && last?.role === "user" && said(last).endsWith("continue")) return say(["went on"]);
  if (last?.role !== "user") return say([isChild ? "did it" : "all done"]);
  if (!isChild)
    return callTools([{ id: "d1", name: "delegate_task", arguments: { tasks: GOALS.map((goal) => ({ goal })) } }]);
  const goal = said(last);
  return callTools([{ id: `t-${goal}`, name: "terminal", arguments: { command: `echo ${goal} >> effects.log` } }]);
}

const TOLD = ["--approve", "all", "--output", "json"];
const GO = ["-p", "go", ...TOLD];
const RESUME = ["session", "resume", "last", "--continue", ...TOLD];
const FOLLOW = ["-p", "continue", "--resume", "last", ...TOLD];

export interface Death {
  readonly died: boolean;
  /** What the journal of the parent held then. */
  readonly kept: "nothing" | "open turn" | "whole turn";
  readonly childrenThen: number;
}

/**
 * The program dies at this commit with two children, and what it left is taken up, or a new message sent instead. Throws for
 * what must not be.
 */
export async function childDeath(killAt: string, takeUp: "resume" | "follow"): Promise<Death> {
  const place = new Place();
  const provider = new EndlessProvider(answer);
  try {
    await provider.server.listen();
    const { baseUrl } = provider.server;
    const first = await place.run(baseUrl, GO, { killAt });
    const left = storedIn(place);
    const kept = left.turn === undefined ? "nothing" : isEnded(left.turn) ? "whole turn" : "open turn";
    if (first.signal !== "SIGKILL") assert.equal(first.code, 0, first.stderr);
    if (kept === "open turn") {
      const then = await place.run(baseUrl, takeUp === "resume" ? RESUME : FOLLOW);
      const { answer: told } = resultOf(then);
      assert.deepEqual([then.code, told], [0, takeUp === "resume" ? "all done" : "went on"], then.stderr);
    }
    assert.deepEqual(provider.violations(), []);
    check(place, kept === "nothing" ? "nothing" : takeUp);
    return { died: first.signal === "SIGKILL", kept, childrenThen: left.children.length };
  } finally {
    await provider.close();
    place.remove();
  }
}

interface Stored {
  /** The first turn of the parent. */
  readonly turn: StoredTurn | undefined;
  readonly children: readonly StoredTurn[];
  readonly open: number;
}

function storedIn(place: Place): Stored {
  const store = openSqliteStore({ path: join(place.home, "evander.db") });
  try {
    const [session] = store.list();
    const facts = session === undefined ? [] : [...(store.record(session.sessionId)?.facts ?? [])];
    const [start] = facts;
    const turn = start?.fact.type === "turn-start" ? store.turn(start.fact.turnId) : undefined;
    const children = store.children(session?.sessionId ?? "").flatMap(({ sessionId, turns }) => {
      assert.equal(turns, 1, "a child has one turn");
      return store.turn(sessionId) ?? [];
    });
    return { turn, children, open: store.openTurns().length };
  } finally {
    store.close();
  }
}

const typesOf = ({ facts }: StoredTurn): readonly Fact["type"][] => facts.map(({ fact }) => fact.type);
const isEnded = (turn: StoredTurn): boolean => typesOf(turn).at(-1) === "turn-end";

function check(place: Place, how: "nothing" | "resume" | "follow"): void {
  const { turn, children, open } = storedIn(place);
  assert.equal(open, 0, "every turn has ended, those of children too");
  const done = effectsIn(place);
  for (const goal of GOALS) assert.ok(done.filter((line) => line === goal).length <= 1, `${goal} was done twice`);
  if (how === "nothing" || turn === undefined) return;
  if (how === "resume") assert.equal(children.length, GOALS.length, "each task has one child");
  const receipts = typesOf(turn).filter((type) => type === "receipt");
  assert.ok(receipts.length <= 1, "the call has one receipt");
  for (const child of children) assert.equal(typesOf(child).filter((type) => type === "turn-start").length, 1);
  const charged = [...turn.facts, ...turn.after].flatMap(({ fact }) =>
    fact.type === "auxiliary-run" && fact.purpose === "child" ? [fact] : [],
  );
  assert.deepEqual(
    charged.map(({ sessionId }) => String(sessionId)).toSorted(),
    children.map(({ sessionId }) => sessionId).toSorted(),
    "each child is charged once",
  );
  for (const child of children) {
    const own = [...chargesOfTurn(child)].map(({ charge }) => charge.usage?.input ?? 0);
    const fact = charged.find(({ sessionId }) => sessionId === child.sessionId);
    assert.equal(
      fact?.usage.input,
      own.reduce((sum, each) => sum + each, 0),
      "and with all that it took",
    );
  }
}

function effectsIn(place: Place): readonly string[] {
  try {
    return readFileSync(join(place.work, "effects.log"), "utf8").trim().split("\n");
  } catch {
    return [];
  }
}
