import { isUntrusted } from "../../../src/tools/results/fence.ts";
import { isObject, type Json } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";

const field = (value: Json | undefined, key: string): Json =>
  value !== undefined && isObject(value) ? (value[key] ?? null) : null;

const textIn = (value: Json, key: string): string => {
  const text = field(value, key);
  return typeof text === "string" ? text : "";
};

/** Formatting that nobody sees, and controls of terminals, which the reference leaves in. */
const UNSEEN = /[\p{Cf}\u0080-\u0084\u0086-\u009F]/gu;

/** Names that Windows keeps for devices. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/u;

/** What a header says of what a skill needs. */
const NEEDS = /"(?:requires|prerequisites|platforms|os)":/u;

/** A turn of the user behind others in which somebody else has spoken. */
const LATER_TURN = /\b(?:new|next|later|second|following)\b.*\b(?:turn|question)\b/iu;

/** What others say, in a tool's own words: in pieces, or as if it stood in a frame already. */
const othersIn = (input: Json): string => {
  const content = field(input, "content");
  return typeof content === "string" ? content : JSON.stringify(content);
};
const SHORTEST_FRAMED = 32;
const isForgedFrame = (input: Json): boolean => /^\s*<untrusted_tool_result\b/u.test(textIn(input, "content"));
const isInPieces = (input: Json): boolean =>
  Array.isArray(field(input, "content")) && othersIn(input).length >= SHORTEST_FRAMED;

const MOST_FILES = 1_000;
const DEEPEST = 4;
const isLarge = (input: Json): boolean =>
  ["total", "total_bytes", "unpacked_bytes", "bytes", "size"].some(
    (key) => Number(field(input, key)) > 16 * 1024 * 1024,
  );

/** Titles, skills and what is kept behind a conversation. */
export const LASTING_DEVIATIONS: readonly Deviation[] = [
  {
    area: "untrusted_wrap",
    applies: (input) => isUntrusted({ name: textIn(input, "tool") }) && isForgedFrame(input),
    ours: (input) => ({
      wrapped: true,
      tag: `untrusted_tool_result source="${textIn(input, "tool")}"`,
      contains: null,
    }),
    reason: "a frame without the mark of the session is what others wrote: it is made harmless and stands in ours",
    spec: "security.md 3.9, marks that others cannot have written",
  },
  {
    area: "untrusted_wrap",
    applies: (input) => isUntrusted({ name: textIn(input, "tool") }) && isInPieces(input),
    ours: (input) => ({ wrapped: true, tag: `untrusted_tool_result source="${textIn(input, "tool")}"` }),
    reason: "what others say in pieces stands in a frame as well",
    spec: "security.md 3.9",
  },
  {
    area: "session_title",
    applies: (_input, expect) => textIn(expect, "title").search(UNSEEN) >= 0,
    ours: (_input, expect) => ({ title: textIn(expect, "title").replaceAll(UNSEEN, "") }),
    reason: "no title holds what nobody sees or what a terminal obeys",
    spec: "security.md 3.9, terminal output",
  },
  {
    area: "skill_valid",
    applies: (input, expect) =>
      field(expect, "valid") === true &&
      (DEVICES.test(textIn(input, "folder")) || NEEDS.test(JSON.stringify(field(input, "frontmatter")))),
    ours: () => ({ valid: false }),
    reason: "a name that no folder can have on some system, and needs that nobody can read, are named as faults",
    spec: "features.md F6; security.md 3.8; issue 8, bad input",
  },
  {
    area: "skill",
    applies: (input, expect) => field(expect, "warned") === true && /[^a-z0-9-]/u.test(textIn(input, "name")),
    ours: () => ({ refused: true }),
    reason: "a name has small letters, digits and hyphens alone, so what only looks like one is refused",
    spec: "security.md 3.8, row 64",
  },
  {
    area: "inject",
    applies: (input, expect) => field(expect, "tainted") === false && LATER_TURN.test(textIn(input, "source")),
    ours: () => ({ tainted: true, wrong: [] }),
    reason: "a session in which others have spoken stays as it is: a summary may hold their words; a new one is clean",
    spec: "security.md 3.9; ADR 48",
  },
  {
    area: "archive",
    applies: (input, expect) =>
      expect === "extract" &&
      (Number(field(input, "count")) > MOST_FILES || Number(field(input, "depth")) > DEEPEST || isLarge(input)),
    ours: () => "refuse all",
    reason: "archives are of skills here, and no skill has more than 1,000 files, 4 folders deep, or 16 MiB",
    spec: "security.md 3.4; ADR 47",
  },
];
