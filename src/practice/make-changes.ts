import { plural } from "../protocol/plural.ts";
import type { Edit, EditIntent } from "./intents.ts";
import {
  andThen,
  both,
  done,
  fail,
  listing,
  quoted,
  receipt,
  resolve,
  wholeText,
  type Known,
  type Step,
} from "./look-up.ts";
import { fenced } from "./answers.ts";

/** What came of a change, and the file it was about. */
interface Changed {
  readonly text: string;
  readonly subject?: string;
}

/** Characters of a file that is written again as a whole. */
const MOST_CHARACTERS = 200_000;

/** The file is read, the diff shown, and the whole file written: a text that cannot be kept byte for byte is left alone. */
export function editStep({ target, edit }: EditIntent, known: Known): Step<Changed> {
  return andThen(resolve(target, known), ({ path }) =>
    andThen(wholeText(path, known), (text) => {
      const { lines, more, exact, finalBreak } = text;
      if (more || !exact || lines.join("\n").length > MOST_CHARACTERS)
        return fail(
          `I change only files that I can read whole and write again byte for byte; ${quoted(path)} is none.`,
        );
      const changes = changesOf(edit, lines);
      if (changes.length === 0) return fail(nothingToDo(edit, path));
      const content =
        applied(changes, lines).join("\n") + (finalBreak || lines.length === 0 || edit.do === "append" ? "\n" : "");
      const say = `${headline(edit, path, changes.length)}\n${fenced(diffOf(path, changes), "diff")}`;
      return andThen(receipt("write_file", { path, content }, known, say), (answer) => {
        const happened = answer.startsWith("Replaced ")
          ? headline(edit, path, changes.length)
          : `${quoted(path)} was not changed.`;
        return done({ text: `${happened}\nThe tool says: ${answer.trim()}`, subject: path });
      });
    }),
  );
}

/** A line that becomes another; `old` is undefined for a new one. Numbers count from 1. */
interface Change {
  readonly line: number;
  readonly old: string | undefined;
  readonly now: string;
}

function changesOf(edit: Edit, lines: readonly string[]): Change[] {
  if (edit.do === "append") return [{ line: lines.length + 1, old: undefined, now: edit.text }];
  return lines.flatMap((old, at) => {
    const now = old.replaceAll(edit.from, () => edit.to);
    return now === old ? [] : [{ line: at + 1, old, now }];
  });
}

function applied(changes: readonly Change[], lines: readonly string[]): string[] {
  const all = [...lines];
  for (const { line, now } of changes) all[line - 1] = now;
  return all;
}

const nothingToDo = (edit: Edit, path: string): string =>
  edit.do === "replace" && edit.from === edit.to
    ? "Both texts are the same, so nothing changes."
    : `No line of ${quoted(path)} holds ${edit.do === "replace" ? quoted(edit.from) : "that"}, so nothing was changed.`;

function headline(edit: Edit, path: string, count: number): string {
  if (edit.do === "append") return `In ${quoted(path)}, one line is added.`;
  return `In ${quoted(path)}, “${edit.from}” becomes “${edit.to}” in ${plural(count, "line")}.`;
}

const SHOWN_CHANGES = 30;

/** The changed lines alone, as `diff -U0` writes them. */
function diffOf(path: string, changes: readonly Change[]): string {
  const shown = changes
    .slice(0, SHOWN_CHANGES)
    .flatMap(({ line, old, now }) => [
      old === undefined ? `@@ -${line - 1},0 +${line} @@` : `@@ -${line} +${line} @@`,
      ...(old === undefined ? [] : [`-${old}`]),
      `+${now}`,
    ]);
  const more = changes.length - SHOWN_CHANGES;
  return [`--- ${path}`, `+++ ${path}`, ...shown, ...(more > 0 ? [`… and ${more} more lines`] : [])].join("\n");
}

/** What a project checks itself with, the first that is there. */
const CHECK_FILES = "{check.sh,test.sh,package.json,Makefile,Cargo.toml,go.mod}";

/** Finds the project's own check and runs it. */
export function checkStep(known: Known): Step<Changed> {
  return andThen(listing({ name: CHECK_FILES }, { limit: 50 }, known), ({ files }) => {
    const names = new Set(files.map(({ path }) => path).filter((path) => !path.includes("/")));
    return andThen(checkCommand(names, known), (command) => {
      if (command === undefined)
        return fail(
          "I found no check here (check.sh, test.sh, a script in package.json, a target in Makefile, …). Name the command: “run make test”.",
        );
      return andThen(receipt("terminal", { command }, known), (answer) => {
        return done({ text: `${verdictOf(answer)} (${quoted(command)}):\n${fenced(answer.trimEnd())}` });
      });
    });
  });
}

function verdictOf(answer: string): string {
  if (!/^(?:Exit code|Killed|Stopped)\b/u.test(answer)) return "The check did not run";
  return answer.startsWith("Exit code 0 ") ? "The check passed" : "The check did not pass";
}

function checkCommand(names: ReadonlySet<string>, known: Known): Step<string | undefined> {
  const script = ["check.sh", "test.sh"].find((name) => names.has(name));
  if (script !== undefined) return done(`sh ${script}`);
  const other = names.has("Cargo.toml") ? "cargo test" : names.has("go.mod") ? "go test ./..." : undefined;
  const linesOf = (name: string): Step<readonly string[]> =>
    names.has(name) ? andThen(wholeText(name, known), ({ lines }) => done(lines)) : done([]);
  return andThen(both(linesOf("package.json"), linesOf("Makefile")), ([manifest, makefile]) => {
    const npm = npmScript(manifest.join("\n"));
    if (npm !== undefined) return done(npm === "test" ? "npm test" : `npm run ${npm}`);
    const target = ["check", "test"].find((name) => makefile.some((line) => line.startsWith(`${name}:`)));
    return done(target === undefined ? other : `make ${target}`);
  });
}

function npmScript(manifest: string): string | undefined {
  try {
    const { scripts = {} } = JSON.parse(manifest) as { readonly scripts?: Readonly<Record<string, string>> };
    return ["check", "test"].find((name) => typeof scripts[name] === "string");
  } catch {
    return undefined;
  }
}
