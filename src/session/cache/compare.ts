import type { RequestPlace } from "../../protocol/replay.ts";
import { type Body, type Part, readBody } from "./body.ts";

/** A request as it was kept. */
export interface Sent {
  readonly text: string;
  /** How much of it the next request goes on from, characters. */
  readonly head: number;
  /** It says where its cache is to end. */
  readonly hasMarks: boolean;
  /** Read when it is asked for: most requests are not. */
  readonly body: () => Body;
}

export function sentOf(text: string, head: number): Sent {
  let read: Body | undefined;
  return { text, head, hasMarks: MARKS.some((mark) => text.includes(mark)), body: () => (read ??= readBody(text)) };
}

/** In a text that is quoted there stands a backslash before the second quote. */
const MARKS = [`"cache_control":`, `"cachePoint":`];

/** Where a request begins to differ from the one before it. */
export interface Difference {
  readonly place: RequestPlace;
  /** What stands there, from where it differs, as JSON, cut; empty: nothing does any more. */
  readonly text: string;
}

/** How a request goes on from the one before it; shares are of all that the one before had, from 0 to 1. */
export interface Meeting {
  /** What could be read again, had nothing changed. */
  readonly expected: number;
  /** What stands at the beginning of both, byte for byte. */
  readonly equal: number;
  /** What of that a cache can have kept. */
  readonly readable: number;
  /** Undefined: all that was to stay has stayed. */
  readonly difference: Difference | undefined;
}

export function meet(before: Sent, now: Sent): Meeting {
  const goesOn = now.text.startsWith(before.text.slice(0, before.head));
  if (goesOn && !before.hasMarks) {
    const expected = before.head / before.text.length;
    return { expected, equal: expected, readable: expected, difference: undefined };
  }
  return compare(before, now.body());
}

function compare(before: Sent, now: Body): Meeting {
  const { parts, ...body } = before.body();
  const stays = parts.length - privateParts(before, parts);
  const at = firstDifference(parts.slice(0, stays), now.parts);
  const whole = weightOf(parts);
  const share = (end: number, more = 0): number => (whole === 0 ? 0 : (weightOf(parts.slice(0, end)) + more) / whole);
  const expected = share(readable(body, parts, { end: stays, stays }));
  if (at === undefined) return { expected, equal: share(stays), readable: expected, difference: undefined };
  const was = parts[at];
  const is = now.parts[at];
  const same = was === undefined || is === undefined || !samePlace(was, is) ? 0 : commonLength(was.text, is.text);
  const equal = share(at, same);
  return {
    expected,
    equal,
    // What is marked is cached up to the mark, and not a byte less.
    readable: body.marks === undefined ? Math.min(equal, expected) : share(readable(body, parts, { end: at, stays })),
    difference: { place: placeOf(was, is), text: (is?.text ?? "").slice(same, same + MOST_SHOWN) },
  };
}

/** Of what stands where requests differ, characters. */
const MOST_SHOWN = 200;

const ORDER: Readonly<Record<RequestPlace["type"], number>> = { tool: 0, system: 1, message: 2 };

/** Where one of them has another kind of part, that is meant which stands there by right. */
function placeOf(was: Part | undefined, is: Part | undefined): RequestPlace {
  const places = [is, was].flatMap((part) => (part === undefined ? [] : [part.place]));
  return places.toSorted((a, b) => ORDER[a.type] - ORDER[b.type])[0] ?? { type: "system" };
}

const weightOf = (parts: readonly Part[]): number => parts.reduce((sum, { weight }) => sum + weight, 0);

interface Until {
  /** So many parts are equal. */
  readonly end: number;
  /** So many were to stay. */
  readonly stays: number;
}

/** How many of the equal parts a cache can have kept: with marks, those up to the last one. */
function readable({ marks, moving }: Omit<Body, "parts">, parts: readonly Part[], { end, stays }: Until): number {
  if (marks === undefined || (moving && end === stays)) return end;
  return parts.slice(0, end).findLastIndex(({ marked }) => marked) + 1;
}

/** How many of the last parts belonged to that attempt alone. */
function privateParts({ text: whole, head }: Sent, parts: readonly Part[]): number {
  const tail = whole.slice(head);
  const last = parts.findLastIndex(({ place, text }) => place.type !== "message" || !tail.includes(text));
  return parts.length - 1 - last;
}

function firstDifference(before: readonly Part[], now: readonly Part[]): number | undefined {
  const at = before.findIndex((part, index) => {
    const other = now[index];
    return other === undefined || part.text !== other.text || !samePlace(part, other);
  });
  return at < 0 ? undefined : at;
}

const samePlace = ({ place: a }: Part, { place: b }: Part): boolean =>
  a.type === b.type && (a.type !== "message" || b.type !== "message" || (a.index === b.index && a.role === b.role));

function commonLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}
