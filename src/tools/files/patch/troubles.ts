import { plural } from "../../../protocol/plural.ts";
import { PathError } from "../../paths.ts";
import { lineAt, linesOf } from "../text/lines.ts";
import type { Applied } from "./apply-hunks.ts";
import { closestLines, numbered } from "./closest.ts";
import type { Replaced } from "./fuzzy-replace.ts";

interface About {
  readonly shown: string;
  readonly text: string;
  readonly old: string;
}

/** Why a text was not replaced, so that the next call can be right. */
export function replaceTrouble(found: Exclude<Replaced, { type: "found" }>, { shown, text, old }: About): PathError {
  switch (found.type) {
    case "empty":
      return new PathError("old_string is empty: give the text that is to go, or write a new file with write_file.");
    case "same":
      return new PathError("old_string and new_string are the same, so nothing changes.");
    case "drift":
      return new PathError(
        `old_string and new_string hold ${found.escape}, and the text in ${shown} does not: write the quote without a backslash.`,
      );
    case "several":
      return severalPlaces(found, { shown, text });
    case "absent":
      return new PathError(`old_string was not found in ${shown}, so nothing was changed.${hintFor(old, text)}`);
  }
}

/** Places that are named. */
const MOST_NAMED = 10;

function severalPlaces(
  { places, strategy }: Extract<Replaced, { type: "several" }>,
  { shown, text }: Omit<About, "old">,
): PathError {
  const lines = places.slice(0, MOST_NAMED).map(({ from }) => lineAt(text, from));
  const how = strategy === "exact" ? "" : `, by what is alike (${strategy})`;
  return new PathError(
    `old_string was found ${plural(places.length, "time")} in ${shown}${how}: ${lineNumbers(lines, places.length)}. ` +
      "Add lines around it until it is one place, or set replace_all.",
  );
}

const lineNumbers = (lines: readonly number[], count: number): string =>
  `line ${lines.join(", ")}${count > lines.length ? ", …" : ""}`;

/** Of read_file's own numbers, or what is nearest. */
function hintFor(old: string, text: string): string {
  const lines = old.split("\n").filter((line) => line.trim() !== "");
  if (lines.length > 0 && lines.every((line) => /^\s*\d+\|/u.test(line)))
    return ' It holds the line numbers that read_file shows: leave "NUMBER|" out.';
  const closest = closestLines(text, old);
  if (closest !== undefined)
    return ` The closest lines are:\n${closest}\nCopy the text as it stands there, without the numbers.`;
  return text === "" ? " The file is empty." : " No line is like it: read the file again.";
}

/** Why a hunk was not applied. */
export function hunkTrouble(applied: Exclude<Applied, { type: "found" }>, shown: string, text: string): PathError {
  const { hunk } = applied;
  const which = `The hunk at line ${hunk.at} of the patch`;
  if (applied.type === "several") {
    const lines = applied.lines.slice(0, MOST_NAMED);
    return new PathError(
      `${which} fits ${plural(applied.lines.length, "place")} in ${shown}: ${lineNumbers(lines, applied.lines.length)}. ` +
        'Nothing was changed: add lines around it, or name the function or class before it with "@@ NAME".',
    );
  }
  const old = hunk.lines.filter(({ type }) => type !== "add").map((line) => line.text);
  if (old.length === 0)
    return new PathError(
      `${which} names ${JSON.stringify(hunk.anchors.at(-1))}, which no line of ${shown} holds. ${NOTHING}`,
    );
  const wanted = numbered(old.slice(0, MOST_NAMED), hunk.line ?? 1).replaceAll(/^\d+\|/gmu, "");
  const hint = linesOf(text).length === 0 ? " The file is empty." : hintFor(old.join("\n"), text);
  return new PathError(`${which} does not fit ${shown}: these lines are not there:\n${wanted}\n${NOTHING}${hint}`);
}

const NOTHING = "No file was changed.";
