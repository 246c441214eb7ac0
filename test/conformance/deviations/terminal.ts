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
];
