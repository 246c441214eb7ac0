import { plural } from "../../../protocol/plural.ts";
import type { ToolContext } from "../../../protocol/tool.ts";
import { PathError, type Place } from "../../paths.ts";
import { syntaxNote } from "../syntax-note.ts";
import { lineDiff } from "../text/line-diff.ts";
import { linesOf, type Edit } from "../text/lines.ts";
import { applyHunks } from "./apply-hunks.ts";
import { bytesIn, ChangePlan, putEdits, textIn, type PlannedFile } from "./change-plan.ts";
import type { StrategyName } from "./strategies.ts";
import { parsePatch, type Section } from "./parse-patch.ts";
import { replaceText } from "./replace-text.ts";
import { replaceTrouble, hunkTrouble } from "./troubles.ts";

/** What one step has done to one file, for the model. */
interface Report {
  readonly head: string;
  readonly diff: readonly string[];
  /** The file whose text may be checked. */
  readonly file?: PlannedFile;
}

/** Lines of all diffs together, and characters of one of them. */
const MOST_LINES = 80;
const LINE_CHARS = 300;

export interface Replacing {
  readonly path: string;
  readonly old: string;
  readonly now: string;
  readonly all: boolean;
}

/** Puts one text in the place of another. Throws PathError. */
export async function runReplace(wanted: Replacing, place: Place, context: ToolContext): Promise<string> {
  const plan = new ChangePlan(place, context);
  const file = await plan.at(wanted.path);
  const before = textIn(file);
  const [old, now] = [wanted.old.toWellFormed(), wanted.now.toWellFormed()];
  const found = replaceText(before.text, { old, now, all: wanted.all });
  if (found.type !== "found") throw replaceTrouble(found, { shown: file.target.shown, text: before.text, old });
  putEdits(file, before, found.edits);
  const report = changed(file, before.text, found);
  await plan.write();
  return told([report]);
}

/** Does what a whole patch says, with all of its files or with none. Throws PathError and PatchError. */
export async function runPatch(patch: string, place: Place, context: ToolContext): Promise<string> {
  const sections = parsePatch(patch.toWellFormed());
  const plan = new ChangePlan(place, context);
  const reports: Report[] = [];
  for (const section of sections) {
    context.signal.throwIfAborted();
    reports.push(await step(section, plan));
  }
  await plan.write();
  return told(reports);
}

async function step(section: Section, plan: ChangePlan): Promise<Report> {
  const file = await plan.at(section.path);
  switch (section.type) {
    case "add":
      return add(file, section.lines);
    case "delete":
      return remove(file);
    case "move":
      return move(file, await plan.at(section.to));
    case "update": {
      const report = update(file, section);
      if (section.to === undefined) return report;
      const target = await plan.at(section.to);
      const { head } = move(file, target);
      return { ...report, head: `${report.head} ${head}`, file: target };
    }
  }
}

function add(file: PlannedFile, lines: readonly string[]): Report {
  if (file.bytes !== undefined || (file.before !== undefined && file.before.bytes === undefined))
    throw new PathError(`${file.target.shown} exists already, so nothing was changed: update it.`);
  file.bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  file.known = true;
  const size = `${plural(lines.length, "line")}, ${plural(file.bytes.length, "byte")}`;
  return { head: `Created ${file.target.shown}: ${size}.`, diff: [], file };
}

function remove(file: PlannedFile): Report {
  const size = plural(bytesIn(file).length, "byte");
  file.bytes = undefined;
  return { head: `Deleted ${file.target.shown} (${size}).`, diff: [] };
}

function move(from: PlannedFile, to: PlannedFile): Report {
  const bytes = bytesIn(from);
  if (to.bytes !== undefined || (to.before !== undefined && to.before.bytes === undefined))
    throw new PathError(`${to.target.shown} exists already, so ${from.target.shown} was not moved there.`);
  [to.bytes, to.mode, to.known] = [bytes, from.mode, from.known];
  from.bytes = undefined;
  return { head: `Moved ${from.target.shown} to ${to.target.shown}.`, diff: [] };
}

function update(file: PlannedFile, { hunks }: Extract<Section, { type: "update" }>): Report {
  const before = textIn(file);
  const applied = applyHunks(before.text, hunks);
  if (applied.type !== "found") throw hunkTrouble(applied, file.target.shown, before.text);
  putEdits(file, before, applied.edits);
  return changed(file, before.text, { edits: applied.edits, strategy: applied.loose ? "loose" : "exact" });
}

interface Found {
  readonly edits: readonly Edit[];
  readonly strategy: StrategyName | "loose";
}

function changed(file: PlannedFile, text: string, { edits, strategy }: Found): Report {
  const { lines, added, removed, places } = lineDiff(text, edits);
  const where = places.length > 5 ? `${places.length} places` : `line ${places.join(", ")}`;
  const how = strategy === "exact" ? "" : `, found by what is alike (${strategy}): see whether it is what you meant`;
  return { head: `Changed ${file.target.shown} at ${where} (+${added} -${removed})${how}.`, diff: lines, file };
}

async function told(reports: readonly Report[]): Promise<string> {
  const blocks: string[] = [];
  let room = MOST_LINES;
  for (const { head, diff, file } of reports) {
    const shown = diff.slice(0, Math.max(0, room)).map(shortLine);
    room -= shown.length;
    const more = diff.length > shown.length ? [`… ${plural(diff.length - shown.length, "more line")} of the diff`] : [];
    const note = file === undefined ? undefined : await syntaxNote(file.target.real, file.bytes, file.before?.bytes);
    blocks.push([head, ...shown, ...more, ...(note === undefined ? [] : [note])].join("\n"));
  }
  return blocks.join("\n");
}

const shortLine = (line: string): string => {
  const [plain = ""] = linesOf(line).map(({ text }) => text);
  return (plain.length > LINE_CHARS ? `${plain.slice(0, LINE_CHARS)}…` : plain).toWellFormed();
};
