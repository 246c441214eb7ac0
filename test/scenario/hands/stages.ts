import { background } from "./background.ts";
import { edit, long, outside, remove, secret, test } from "./conversation.ts";
import { death, undo, whole } from "./undoing.ts";
import type { Stage } from "../stages.ts";
import type { Workshop } from "./workshop.ts";

/** In this order: each needs what those before it have left. */
export const STAGES: readonly Stage<Workshop>[] = [
  {
    name: "five calls of one reply edit four files",
    rows: "[E9] [E4]",
    goal: "3 of 3 texts say 100, export const cups = () => 4;",
    play: edit,
  },
  {
    name: "its tests",
    rows: "[E10] [E9]",
    goal: "asked about and learned; 0 questions at the second run",
    play: test,
  },
  { name: "a delete", rows: "[E10]", goal: "1 question: rm -r build; Deletes 1: build; it is gone", play: remove },
  {
    name: "writes elsewhere",
    rows: "[E9] [E10]",
    goal: "own config: no question, no write, refused with --approve all; elsewhere: 1 question, refused when nobody is there",
    play: outside,
  },
  {
    name: "a long result",
    rows: "[E8]",
    goal: "line 9000 read on in a file of the session's own: true",
    play: long,
  },
  {
    name: "secrets in results",
    rows: "[E8]",
    goal: "0 to the model, 0 on the screen, 0 in the store; 0 to the model, 0 on the screen, 0 in the store",
    play: secret,
  },
  {
    name: "a server beside it",
    rows: "[E9] [X6]",
    goal: "started with a yes, polled without one; gone when the session has ended",
    play: background,
  },
  {
    name: "turn diff and turn undo",
    rows: "[E12]",
    goal: "undone 0 paths differ, undo undone 0, undone again 0",
    play: undo,
  },
  {
    name: "undo after kill -9",
    rows: "[E12] [X6]",
    goal: "Its process died, so all that differs since its last snapshot is taken for its work. 0 paths differ",
    play: death,
  },
  {
    name: "undo of the conversation",
    rows: "[E12]",
    goal: "0 paths differ from the beginning; doctor: All is well.",
    play: whole,
  },
];
