import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCaseFile } from "./case-file.ts";

const ROOT = join(import.meta.dirname, "..", "..");
export const TABLE: string = join(ROOT, "docs", "bug-reports.md");

/** Ids, or the first part of several, whose behaviour waits for a part that does not exist yet. */
const LATER: Readonly<Record<string, string>> = {
  APPR: "approvals from elsewhere, with a deadline",
  AUTH: "gateway",
  "BUDG-04": "ends that nothing brings about yet: answers by schema",
  COMP: "context",
  CRON: "schedule",
  FALL: "credential pool and fallback chain",
  FILE: "the approval policy",
  GW: "gateway",
  "NET-04": "gateway",
  SEC: "the approval policy and the sandbox",
};

/** A test's title as it stands in its file, with the ids it carries. */
const TITLE = /(?:\btest|\))\(\s*(["`])((?:(?!\1)[^\n\\]|\\.)*\[[A-Z]+-\d+\](?:(?!\1)[^\n\\]|\\.)*)\1/gu;

interface Title {
  readonly file: string;
  /** As the table writes it. */
  readonly title: string;
}

/** The titles of all tests that carry the id of a bug. */
function allTitles(): Title[] {
  const files = globSync("{src,test}/**/*.test.ts", { cwd: ROOT, exclude: ["test/toolchain/**"] }).toSorted();
  return files.flatMap((file) => {
    const found = [...readFileSync(join(ROOT, file), "utf8").matchAll(TITLE)];
    return found.map((match) => ({ file, title: (match[2] ?? "").replaceAll("|", "\\|").replaceAll("`", "'") }));
  });
}

export interface Report {
  readonly id: string;
  readonly area: string;
  readonly titles: readonly string[];
  /** Where the tests with these titles are. */
  readonly files: readonly string[];
  /** What has to exist before a test can show it. */
  readonly theme: string;
}

export function bugReports(): Report[] {
  const titles = allTitles();
  const { cases } = readCaseFile(join(import.meta.dirname, "cases", "bugs.json"));
  return cases.map(({ id, area }) => {
    const own = titles.filter(({ title }) => title.includes(`[${id}]`));
    return {
      id,
      area,
      titles: [...new Set(own.map(({ title }) => title))],
      files: [...new Set(own.map(({ file }) => file))],
      theme: LATER[id] ?? LATER[id.split("-")[0] ?? ""] ?? "",
    };
  });
}

function rowOf({ id, area, titles, theme }: Report): string {
  const shown = titles.map((title) => `\`${title}\``).join("<br>");
  return `| ${id} | ${area} | ${shown === "" ? `later: ${theme}` : shown} |\n`;
}

const HEAD = `# Reported bugs

Bugs people reported of other agents (\`test/conformance/cases/bugs.json\`), and the tests that show that they are not ours.
Written by \`node test/conformance/bug-reports.ts\`; a test checks that it tells the truth.

| id | area | shown by |
|---|---|---|
`;

if (import.meta.main) writeFileSync(TABLE, HEAD + bugReports().map(rowOf).join(""));
