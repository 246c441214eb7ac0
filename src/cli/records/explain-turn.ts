import type { Store } from "../../protocol/store.ts";
import { explainBehind, explainTurn, stepsAfter } from "../../session/explain.ts";
import { summaryLines } from "../../session/explain-summary.ts";
import { pictureOf } from "../../session/picture/picture-of.ts";
import type { TurnPicture } from "../../session/picture/picture.ts";
import { readTurn } from "../../session/unfinished.ts";
import { seeFiles } from "../../words/explain.ts";
import { OPEN_TURN_WORDS } from "../../words/open-turns.ts";
import { nextSteps, type Step } from "../../words/steps.ts";
import type { Asked } from "../context.ts";
import { sayAll, sayJson } from "../io.ts";
import { runnable, stepLine } from "../next-steps.ts";
import { stepsOf } from "./open-turns.ts";
import { existingTurn } from "./turns.ts";

/**
 * `turn explain`: each step, why it ended, what was unusual, what it took, and what helps. A turn that was closed for this one is
 * told first: it is what somebody who asks after a crash wants to know.
 */
export function explainStoredTurn(store: Store, asked: string, { io, json, language }: Asked): void {
  const turn = existingTurn(store, asked);
  const start = turn.facts[0]?.fact;
  const before =
    start?.type === "turn-start" && start.supersedes !== undefined ? store.turn(start.supersedes) : undefined;
  const alive = store.openTurns().some(({ turnId, owner }) => turnId === turn.turnId && owner?.alive === true);
  const viewpoint = { nowMs: Date.now(), alive, language };
  const read = readTurn(turn);
  const picture = pictureOf(turn);
  const cacheCommand = runnable(`evander turn cache ${asked === "last" ? "last" : turn.turnId}`, io.env);
  const steps = alive ? [] : nextSteps([...stepsAfter(read), ...fileSteps(picture)], turn.sessionId, language);
  const lines = [
    ...(before === undefined ? [] : explainTurn(before, viewpoint)),
    ...explainTurn(turn, viewpoint, read),
    ...explainBehind(turn, store.behind(turn.turnId), language),
    ...summaryLines(picture, cacheCommand, language),
    ...stepsOf(turn, steps, io.env).map((step) => `${OPEN_TURN_WORDS.next[language]}: ${stepLine(step, io.env)}`),
  ];
  if (json) return sayJson(io, lines);
  sayAll(io.stdout, lines);
}

function fileSteps({ rows, turnId }: TurnPicture): Step[] {
  const count = rows.reduce((sum, row) => sum + (row.type === "tool" ? row.files : 0), 0);
  return count === 0 ? [] : [{ do: "diff", text: seeFiles(count), command: `evander turn diff ${turnId}` }];
}
