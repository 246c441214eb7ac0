import { knownOverload } from "../../../src/model/failure/known-overload.ts";
import { backOff, longWait, MAX_OVERLOADED } from "../../../src/turn/recovery/wait-and-retry.ts";
import type { Json } from "../case-file.ts";
import { numberOf, objectOf, textOf } from "../input.ts";

/** `{attempt, base_delay, max_delay, jitter_ratio}`: the shortest and the longest wait, seconds. */
export function backoffCase(input: Json): unknown {
  const { attempt, base_delay: base, max_delay: most, jitter_ratio: ratio } = objectOf(input, "input");
  const { delayMs } = backOff(
    { baseMs: numberOf(base, "base_delay") * 1_000 },
    numberOf(attempt, "attempt"),
    numberOf(most, "max_delay") * 1_000,
  );
  return { min: delayMs / 1_000, max: (delayMs * (1 + numberOf(ratio, "jitter_ratio"))) / 1_000 };
}

/** What became of a call, and the wait that would be usual: the one that there is; or how often it is tried. */
export function overloadBackoffCase(input: Json): unknown {
  const {
    base_url: url,
    model,
    status,
    message,
    attempt,
    default_wait: usual,
    op,
    configured,
  } = objectOf(input, "input");
  const failure = { status: numberOf(status, "status"), message: textOf(message, "message") };
  const overload = knownOverload(failure, { url: textOf(url, "base_url"), model: textOf(model, "model") });
  if (op === "retry_ceiling") return { max_retries: overload === undefined ? configured : MAX_OVERLOADED };
  const long = overload && longWait(overload, numberOf(attempt, "attempt"));
  if (long === undefined) return { min: usual, max: usual, label_suffix: overload === undefined ? null : "short" };
  const { delayMs, jitterMs } = long;
  return { min: delayMs / 1_000, max: (delayMs + jitterMs) / 1_000, label_suffix: "long" };
}
