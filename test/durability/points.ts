import { ALL, type Shape } from "./shapes.ts";

/** How the process dies. */
export interface Kill {
  /** The command that dies: the turn itself, the person's yes to its call, or its resume behind that. */
  readonly life?: "go" | "yes" | "resume";
  /** See kill-at.mjs. */
  readonly at?: string;
  /** The provider does it: when its request `index` has come, or when so many frames of the answer to it have left. */
  readonly wire?: { readonly index: number; readonly frames?: number };
  /** Its user stops it: in mid-stream, at the place on the wire, or in its one effect. */
  readonly stopped?: "in mid-stream" | "in the effect";
  /** Whoever takes the turn up, or goes on with another message, dies as well: there. */
  readonly again?: { readonly resume: string; readonly follow: string };
}

/** What must have been kept when the process died. */
export type Kept = "nothing" | "open turn" | "whole turn";

/** One row of the table: a point, and how it is come to in each shape, or why there is no such point. */
export interface Point {
  readonly id: string;
  readonly name: string;
  readonly kept: Kept;
  readonly cells: Readonly<Record<Shape, Kill | string>>;
}

const everywhere = (kill: Kill): Point["cells"] => cells(kill, {});

const cells = (kill: Kill, others: Partial<Point["cells"]>): Point["cells"] => ({
  ...(Object.fromEntries(ALL.map((shape) => [shape, kill])) as Record<Shape, Kill>),
  ...others,
});

const only = (shape: Shape, kill: Kill, why: string): Point["cells"] => ({
  ...(Object.fromEntries(ALL.map((each) => [each, why])) as Record<Shape, string>),
  [shape]: kill,
});

const NO_CALL = "it calls no tool";
const ASKS_NOBODY = "nobody is asked";
const ALONE = "it has one call";
const IN_RESUME = "resume";
const YES = "approval";

const ENDS_AT_ONCE = "what is stopped ends in the same tick: one commit holds the interrupt and the end";
const INTERRUPTED: Kill = { at: "after-commit:interrupt-requested", stopped: "in the effect" };

/** Receipts of the shape with a child: the first one is of its child's call, the second one its own. */
const CHILD_AND_OWN = 2;

export const POINTS: readonly Point[] = [
  {
    id: "K1",
    name: "before the user message is committed",
    kept: "nothing",
    cells: everywhere({ at: "before-commit:turn-start" }),
  },
  {
    id: "K2",
    name: "after the user message is committed",
    kept: "open turn",
    cells: everywhere({ at: "after-commit:turn-start" }),
  },
  {
    id: "K3",
    name: "when the turn is open and its request recorded, not sent",
    kept: "open turn",
    cells: everywhere({ at: "after-commit:attempt-start" }),
  },
  {
    id: "K4",
    name: "when the first request was sent",
    kept: "open turn",
    cells: cells({ wire: { index: 0 } }, { subagent: { wire: { index: 1 } } }),
  },
  {
    id: "K5",
    name: "at the first chunk",
    kept: "open turn",
    cells: cells({ wire: { index: 0, frames: 1 } }, { subagent: { wire: { index: 1, frames: 1 } } }),
  },
  {
    id: "K6",
    name: "in mid-stream",
    kept: "open turn",
    cells: cells({ wire: { index: 0, frames: 2 } }, { subagent: { wire: { index: 1, frames: 2 } } }),
  },
  {
    id: "K6",
    name: "in mid-stream of the answer to its receipts",
    kept: "open turn",
    cells: cells(
      { wire: { index: 1, frames: 2 } },
      {
        text: NO_CALL,
        approval: { life: IN_RESUME, wire: { index: 1, frames: 2 } },
        subagent: { wire: { index: 3, frames: 2 } },
      },
    ),
  },
  {
    id: "K7",
    name: "when the reply with its calls is committed",
    kept: "open turn",
    cells: cells({ at: "after-commit:assistant-message" }, { text: "its answer and its end are one commit" }),
  },
  {
    id: "K8",
    name: "when the segment has started",
    kept: "open turn",
    cells: cells(
      { at: "after-commit:segment-start" },
      { text: NO_CALL, approval: { life: IN_RESUME, at: "after-commit:segment-start" } },
    ),
  },
  {
    id: "K9",
    name: "when the effect is done and its receipt not stored",
    kept: "open turn",
    cells: cells(
      { at: "before-commit:receipt" },
      { text: NO_CALL, approval: { life: IN_RESUME, at: "before-commit:receipt" } },
    ),
  },
  {
    id: "K9",
    name: "when a child has ended and the receipt for its work is not stored",
    kept: "open turn",
    cells: only("subagent", { at: `before-commit:receipt#${CHILD_AND_OWN}` }, "it has no child"),
  },
  {
    id: "K10",
    name: "when the receipt is stored",
    kept: "open turn",
    cells: cells(
      { at: "after-commit:receipt" },
      {
        text: NO_CALL,
        approval: { life: IN_RESUME, at: "after-commit:receipt" },
        subagent: { at: `after-commit:receipt#${CHILD_AND_OWN}` },
      },
    ),
  },
  {
    id: "K11",
    name: "when two of three receipts are stored",
    kept: "open turn",
    cells: only("three parallel", { at: "after-commit:receipt#2" }, ALONE),
  },
  {
    id: "K12",
    name: "when the question is recorded",
    kept: "open turn",
    cells: only(YES, { at: "after-commit:approval-requested" }, ASKS_NOBODY),
  },
  {
    id: "K12",
    name: "while it is parked",
    kept: "open turn",
    cells: only(YES, { at: "after-commit:turn-parked" }, ASKS_NOBODY),
  },
  {
    id: "K13",
    name: "before the yes is committed",
    kept: "open turn",
    cells: only(YES, { life: "yes", at: "before-commit:approval-decided" }, ASKS_NOBODY),
  },
  {
    id: "K13",
    name: "after the yes is committed",
    kept: "open turn",
    cells: only(YES, { life: "yes", at: "after-commit:approval-decided" }, ASKS_NOBODY),
  },
  {
    id: "K13",
    name: "between the yes and the effect",
    kept: "open turn",
    cells: only(YES, { life: IN_RESUME, at: "before-commit:segment-start" }, ASKS_NOBODY),
  },
  {
    id: "K18",
    name: "before the store is closed",
    kept: "whole turn",
    cells: cells({ at: "before-close" }, { approval: { life: IN_RESUME, at: "before-close" } }),
  },
  {
    id: "K20",
    name: "and again when its resume is recorded",
    kept: "open turn",
    cells: cells(
      {
        at: "after-commit:attempt-start",
        again: { resume: "after-commit:turn-resumed", follow: "before-commit:turn-end" },
      },
      {
        approval: {
          life: "yes",
          at: "after-commit:approval-decided",
          again: { resume: "after-commit:turn-unparked", follow: "before-commit:turn-end" },
        },
      },
    ),
  },
  {
    id: "K20",
    name: "and again before the end of its resume is stored",
    kept: "open turn",
    cells: cells(
      {
        at: "after-commit:segment-start",
        again: { resume: "before-commit:turn-end", follow: "after-commit:turn-end" },
      },
      {
        text: {
          wire: { index: 0, frames: 2 },
          again: { resume: "before-commit:turn-end", follow: "after-commit:turn-end" },
        },
        approval: {
          life: IN_RESUME,
          at: "after-commit:segment-start",
          again: { resume: "before-commit:turn-end", follow: "after-commit:turn-end" },
        },
      },
    ),
  },
  {
    id: "K20",
    name: "and again when a call that was run once more is answered",
    kept: "open turn",
    cells: cells(
      {
        at: "after-commit:assistant-message",
        again: { resume: "before-commit:receipt", follow: "before-commit:receipt" },
      },
      {
        text: NO_CALL,
        approval: {
          life: IN_RESUME,
          at: "before-commit:segment-start",
          again: { resume: "before-commit:receipt", follow: "before-commit:receipt" },
        },
      },
    ),
  },
  {
    id: "K20",
    name: "and again when its turn is closed and its child is not",
    kept: "open turn",
    cells: only(
      "subagent",
      {
        at: "after-commit:segment-start#2",
        again: { resume: "after-commit:turn-resumed#2", follow: "after-commit:turn-end" },
      },
      "it has no child",
    ),
  },
  {
    id: "R1",
    name: "when an interrupt is recorded and not acted on",
    kept: "open turn",
    cells: {
      text: ENDS_AT_ONCE,
      "one tool": INTERRUPTED,
      "three parallel": ENDS_AT_ONCE,
      approval: { ...INTERRUPTED, life: IN_RESUME },
      subagent: INTERRUPTED,
    },
  },
  {
    id: "R1",
    name: "when an interrupt in mid-stream is recorded, and with it the end",
    kept: "whole turn",
    cells: cells(
      { ...INTERRUPTED, stopped: "in mid-stream", wire: { index: 1, frames: 2 } },
      {
        text: { ...INTERRUPTED, stopped: "in mid-stream", wire: { index: 0, frames: 2 } },
        approval: { ...INTERRUPTED, life: IN_RESUME, stopped: "in mid-stream", wire: { index: 1, frames: 2 } },
        subagent: { ...INTERRUPTED, stopped: "in mid-stream", wire: { index: 3, frames: 2 } },
      },
    ),
  },
  {
    id: "R1",
    name: "when the answer is stored",
    kept: "whole turn",
    cells: cells(
      { at: "after-commit:turn-end" },
      {
        approval: { life: IN_RESUME, at: "after-commit:turn-end" },
        subagent: { at: "after-commit:turn-end#2" },
      },
    ),
  },
];
