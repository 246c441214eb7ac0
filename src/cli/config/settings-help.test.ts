import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { UNATTENDED_GUARDRAILS } from "../../protocol/guardrails.ts";
import { UNATTENDED_RETRY } from "../../turn/state.ts";
import { MAX_ITERATIONS } from "../../turn/budget.ts";
import { streamLimits } from "../../model/stream-limits.ts";
import { type Key, KEYS, variableOf } from "../../config/keys.ts";
import { settingsHelp } from "./settings-help.ts";
import { takesWords } from "../../words/config.ts";

function row(key: Key): string {
  const { name, takes, meaning, usual, usually, project } = key;
  const cells = [
    `\`${name}\``,
    takesWords(takes).en,
    usually ?? String(usual),
    meaning,
    variableOf(key) === undefined ? "–" : `\`${variableOf(key)}\``,
    project === "nothing" ? "–" : project,
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", String.raw`\|`)).join(" | ")} |`;
}

test("[X8] the table in the documents is the table of keys", () => {
  const text = readFileSync("docs/configuration.md", "utf8");
  const [, table = ""] = /^\| key \|.*\n\|[-|]+\|\n((?:\|.*\n)+)/mu.exec(text) ?? [];
  expect(table.trimEnd().split("\n")).toEqual(KEYS.map(row));
});

test("[X8] help names every key that --config takes", () => {
  for (const { name, systemOnly } of KEYS)
    expect(settingsHelp().includes(`\n  ${name} `), name).toBe(systemOnly !== true);
});

test("[C6][D4][E7] what the table calls usual is what holds", () => {
  const usual = Object.fromEntries(KEYS.map((key) => [key.name, key.usual]));
  const group = (name: string): unknown =>
    Object.fromEntries(
      Object.entries(usual).flatMap(([key, value]) =>
        key.startsWith(`${name}.`) ? [[key.slice(name.length + 1), value]] : [],
      ),
    );
  expect(usual["maxIterations"]).toBe(MAX_ITERATIONS);
  expect(group("retry")).toEqual(UNATTENDED_RETRY);
  expect(group("guardrails")).toEqual(UNATTENDED_GUARDRAILS);
  const size = { local: false, bodyBytes: 0, streaming: true };
  expect(group("stream")).toMatchObject(streamLimits({}, size));
  expect(usual["stream.nonStreamIdleMs"]).toBe(streamLimits({}, { ...size, streaming: false }).idleMs);
});
