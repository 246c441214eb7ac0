import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCaseFile } from "./case-file.ts";

const ROOT = join(import.meta.dirname, "..", "..");
export const TABLE: string = join(ROOT, "docs", "bug-reports.md");

/** Ids, or the first part of several, whose behaviour waits for a part that does not exist yet. */
const LATER: Readonly<Record<string, string>> = {
  APPR: "approvals from elsewhere, with a deadline",
  "ARG-07": "repair of tool names",
  AUTH: "gateway",
  "BUDG-04": "the turn, complete",
  "CACHE-03": "context",
  COMP: "context",
  "COST-01": "dialects",
  "COST-04": "money",
  "CRASH-02": "repair of a damaged store",
  CRED: "credential pool and fallback chain",
  CRON: "schedule",
  DB: "storage beside a gateway",
  ERR: "the full failure classifier",
  EXEC: "child agents",
  FALL: "credential pool and fallback chain",
  FILE: "the approval policy and archives",
  GW: "gateway",
  HIST: "dialects and projection repair",
  INJ: "untrusted content",
  LEAK: "redaction",
  LOOP: "guardrails and the ladder of empty replies",
  MCP: "MCP",
  NET: "egress guard",
  PAR: "the patch tool and the read ledger",
  SEC: "the approval policy and the sandbox",
  "STRM-11": "dialects",
  "STRM-21": "the ladder of cut replies",
  SUB: "child agents",
  "UNI-09": "repair of a damaged store",
};

/** A title as it stands in a test file, with the ids it carries. */
const TITLE = /(["`])((?:(?!\1)[^\n\\]|\\.)*\[[A-Z]+-\d+\](?:(?!\1)[^\n\\]|\\.)*)\1/gu;

function titlesOf(id: string, titles: readonly string[]): string[] {
  return titles.filter((title) => title.includes(`[${id}]`));
}

function allTitles(): string[] {
  const files = [...globSync("{src,test}/**/*.test.ts", { cwd: ROOT })].toSorted();
  const found = files.flatMap((file) => [...readFileSync(join(ROOT, file), "utf8").matchAll(TITLE)]);
  return [...new Set(found.map((match) => match[2] ?? ""))];
}

const themeOf = (id: string): string => LATER[id] ?? LATER[id.split("-")[0] ?? ""] ?? "";

/** One row for each reported bug: the tests whose title carries its id, or what has to exist first. */
export function bugReports(): { readonly text: string; readonly homeless: readonly string[] } {
  const titles = allTitles();
  const { cases } = readCaseFile(join(import.meta.dirname, "cases", "bugs.json"));
  const rows = cases.map(({ id, area }) => {
    const shown = titlesOf(id, titles).map((title) => `\`${title.replaceAll("|", "\\|").replaceAll("`", "'")}\``);
    return `| ${id} | ${area} | ${shown.length > 0 ? shown.join("<br>") : `later: ${themeOf(id)}`} |`;
  });
  const homeless = cases
    .filter(({ id }) => titlesOf(id, titles).length === 0 && themeOf(id) === "")
    .map(({ id }) => id);
  return { text: `${HEAD}${rows.join("\n")}\n`, homeless };
}

const HEAD = `# Reported bugs

Bugs people reported of other agents (\`test/conformance/cases/bugs.json\`), and the tests that show that they are not ours.
Written by \`node test/conformance/bug-reports.ts\`; a test checks that it is up to date.

| id | area | shown by |
|---|---|---|
`;

if (import.meta.main) writeFileSync(TABLE, bugReports().text);
