import type { TextOfFile } from "./read-text.ts";

/** What stays of a text that is too long: so much of the limit at its beginning, and so much at its end (hermes.md §3.2). */
const HEAD_SHARE = 0.7;
const TAIL_SHARE = 0.2;

export interface Clipped {
  readonly text: string;
  /** Something is left out in the middle. */
  readonly isCut: boolean;
}

/** A text of at most about `limit` characters (UTF-16 units). */
export function clip({ head, tail, bytes }: TextOfFile, limit: number): Clipped {
  if (tail === undefined && head.length <= limit) return { text: head, isCut: false };
  const first = whole(head.slice(0, Math.floor(limit * HEAD_SHARE)));
  const end = tail ?? head;
  const last = whole(end.slice(Math.max(0, end.length - Math.floor(limit * TAIL_SHARE))));
  const marker = `[… left out here: the middle of ${bytes} bytes. Read the file where you need it. …]`;
  return { text: `${first.trimEnd()}\n\n${marker}\n\n${last.trimStart()}`, isCut: true };
}

/** Without the half characters that a cut leaves. */
const whole = (text: string): string => text.replace(/^[\uDC00-\uDFFF]/, "").replace(/[\uD800-\uDBFF]$/, "");
