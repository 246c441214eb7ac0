import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { EXIT_CODES, reasonsOf } from "../../protocol/exit.ts";
import { nearestName } from "../../protocol/nearest.ts";
import { CODE_WORDS } from "../../words/codes.ts";
import { DOCS_WORDS, docsMissing, noSuchTopic, printsOne } from "../../words/docs.ts";
import type { Language } from "../../words/language.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { runnable } from "../next-steps.ts";
import { RefusalError, usageRefusal } from "../refusal.ts";

interface Where extends Asked {
  /** Where the guides of the package lie. */
  readonly folder: string;
}

interface Topic {
  readonly name: string;
  readonly title: string;
}

const EXIT_CODES_TOPIC = "exit-codes";

export function listTopics({ folder, io, json, language }: Where): void {
  const topics = topicsIn(folder, language);
  if (json) return sayJson(io, topics);
  const width = Math.max(...topics.map(({ name }) => name.length));
  for (const { name, title } of topics) say(io.stdout, `${name.padEnd(width)}  ${title}`);
  say(io.stderr, printsOne(runnable("evander docs TOPIC", io.env))[language]);
}

/** One guide as it is, in Markdown. */
export function printTopic(asked: string, { folder, io, json, language }: Where): void {
  if (asked === EXIT_CODES_TOPIC) return printExitCodes({ io, json, language });
  const names = topicsIn(folder, language).map(({ name }) => name);
  if (!names.includes(asked)) throw usageRefusal(noSuchTopic(asked, nearestName(asked, names)));
  const text = readFileSync(join(folder, `${asked}.md`), "utf8");
  if (json) return sayJson(io, { topic: asked, text });
  io.stdout.write(text);
}

function topicsIn(folder: string, language: Language): readonly Topic[] {
  if (!existsSync(folder)) throw new RefusalError({ reason: "internal_error", message: docsMissing(folder) });
  const pages = readdirSync(folder).flatMap((file): Topic[] => {
    if (!file.endsWith(".md")) return [];
    const [, title = ""] = /^# (.+)$/mu.exec(readFileSync(join(folder, file), "utf8")) ?? [];
    return [{ name: file.slice(0, -".md".length), title }];
  });
  const codes = { name: EXIT_CODES_TOPIC, title: DOCS_WORDS.exitCodes[language] };
  return [...pages, codes].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Out of the tables that decide how a run ends. */
function printExitCodes({ io, json, language }: Asked): void {
  const codes = EXIT_CODES.map((code) => ({ code, meaning: CODE_WORDS[code][language], reasons: reasonsOf(code) }));
  if (json) return sayJson(io, codes);
  for (const { code, meaning, reasons } of codes) {
    say(io.stdout, `${String(code).padStart(3)}  ${meaning}`);
    say(io.stdout, `     ${reasons.join(", ")}`);
  }
}
