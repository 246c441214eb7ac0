import { isObject, type Json } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";

const given = (input: Json): Json => (isObject(input) ? (input["env"] ?? null) : null);

export const IDLE_TIMEOUT_DEVIATIONS: readonly Deviation[] = [
  {
    area: "stream_idle_timeout",
    applies: (input) => given(input) === "",
    ours: () => ({ seconds: 180 }),
    reason: "a stream may be silent for 180 s: models that think are, and the other reference waits as long",
    spec: "features.md C6; hermes.md §6.2",
  },
  {
    area: "stream_idle_timeout",
    applies: (input) => given(input) !== "" && !(Number(given(input)) > 0),
    ours: () => ({ refused: "wrong-value" }),
    reason: "a setting that cannot be had is refused with what is wrong, never silently left out",
    spec: "product.md §3.6",
  },
  {
    area: "stream_idle_timeout",
    applies: (input) => Number(given(input)) > 3_600,
    ours: (input) => ({ seconds: Number(given(input)) }),
    reason: "a value that was set holds as it was set",
    spec: "features.md C6",
  },
];
