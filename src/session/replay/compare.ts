import type { Fact } from "../../protocol/fact.ts";
import type { Difference, RequestPlace } from "../../protocol/replay.ts";
import { readBody } from "../cache/body.ts";
import { sameValue, textsDiffer } from "./same.ts";

export interface Leniency {
  /** How long texts are is not as it was. */
  readonly lengths: boolean;
  /** What is sent is compared by itself. */
  readonly sizes: boolean;
  /** Requests cannot be written as they were. */
  readonly unwritten: boolean;
}

/** Whether our code has recorded what stands in the record. What hangs on a clock or on chance is not looked at. */
export function sameFact(expected: Fact, got: Fact, lenient: Leniency): boolean {
  if (expected.type !== got.type) return false;
  return sameValue(comparable(expected, lenient), comparable(got, lenient));
}

function comparable(fact: Fact, { lengths, sizes, unwritten }: Leniency): unknown {
  switch (fact.type) {
    case "retry-scheduled":
      return { type: fact.type };
    case "attempt-start": {
      const { size, tokens, limitMs, ...rest } = fact;
      if (unwritten) return { ...rest, tokens: lengths ? undefined : tokens };
      if (lengths) return { ...rest, limitMs };
      return { ...rest, size: sizes ? undefined : size, tokens, limitMs };
    }
    case "history-compacted":
    case "compaction-failed":
    case "compaction-judged":
    case "request-truncated":
      return lengths ? { type: fact.type } : fact;
    default:
      return fact;
  }
}

const AROUND = 60;

/** Undefined: both are the same but for what stands for a secret. */
export function requestDifference(
  { expected, got }: { readonly expected: string; readonly got: string },
  where: { readonly index: number; readonly attempt: number },
): Difference | undefined {
  const found = textsDiffer(expected, got);
  if (found === undefined) return undefined;
  const { at } = found;
  const around = (text: string): string => text.slice(Math.max(0, at - AROUND), at + AROUND);
  const place = placeOf(expected, got);
  return { type: "request", ...where, at, place, expected: around(expected), got: around(got) };
}

function placeOf(expected: string, got: string): RequestPlace | null {
  const [before, now] = [readBody(expected).parts, readBody(got).parts];
  const differs = now.findIndex(({ text }, at) => textsDiffer(before[at]?.text ?? "", text) !== undefined);
  return (differs < 0 ? before[now.length] : now[differs])?.place ?? null;
}
