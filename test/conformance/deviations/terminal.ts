import { UNATTENDED_GUARDRAILS } from "../../../src/protocol/guardrails.ts";
import { isObject, type Json } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";

const askedIn = (input: Json): unknown => (isObject(input) ? input["call_timeout"] : undefined);

export const TERMINAL_DEVIATIONS: readonly Deviation[] = [
  {
    area: "exec_timeout",
    applies: (input) => typeof askedIn(input) === "number" && Number(askedIn(input)) > 600,
    ours: () => ({ refused: true }),
    reason: "a model that asks for more than 600 s is told so; a shorter wait would end its command unawares",
    spec: "hermes.md §16 (hard max 600 s: error, not clamp); ADR 0056",
  },
  {
    area: "limit",
    applies: (input) =>
      isObject(input) && Number(input["identical_tool_calls"]) < UNATTENDED_GUARDRAILS.noProgressStopAfter,
    ours: () => ({ stopped: false, noticed: true }),
    reason: "a model is told from the second equal call on, and stopped behind five, as the reference does",
    spec: "hermes.md, tool-loop guardrails (no-progress warn 2 / block 5); ADR 0056",
  },
  {
    area: "exec_timeout",
    applies: (input) => typeof askedIn(input) === "number" && Number(askedIn(input)) < 0,
    ours: () => ({ refused: true }),
    reason: "a model that asks for less than no time is told so",
    spec: "nanobot.md §9.1 (prepare: minimum); ADR 0056",
  },
  {
    area: "exec_timeout",
    applies: (input) => isObject(input) && !(Number(input["config_timeout"]) > 0) && !(Number(askedIn(input)) > 0),
    ours: () => ({ effective: 180 }),
    reason: "there is no setting for a command without an end: one that is to stay is run in the background",
    spec: "hermes.md §16; security.md §3.11",
  },
];
