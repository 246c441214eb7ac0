import { ratio, typical } from "./statistics.mjs";

/** @typedef {import("./sections.mjs").Sample} Sample */

const ANCHOR = "bare-fetch";

/**
 * Three significant digits; a dash where nothing was measured.
 * @param {number | undefined} value
 */
export function figure(value) {
  if (value === undefined || Number.isNaN(value)) return "–";
  return value >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
export function markdown(head, rows) {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  /** @type {(text: string, at: number) => string} */
  const pad = (text, at) => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0));
  /** @param {readonly string[]} cells */
  const line = (cells) => `| ${cells.map(pad).join(" | ")} |`;
  const rule = `|${widths.map((width, at) => (at === 0 ? "-".repeat(width + 2) : `${"-".repeat(width + 1)}:`)).join("|")}|`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}

/**
 * One table for each group of a section: medians, and the ratio of each value to the anchor's.
 * @param {readonly Sample[]} samples
 */
export function sectionTables(samples) {
  const groups = [...new Set(samples.map((sample) => sample.group))];
  return groups.map((group) => `**${group}**\n\n${groupTable(samples, group)}`).join("\n\n");
}

/**
 * @param {readonly Sample[]} samples
 * @param {string} group
 */
function groupTable(samples, group) {
  const own = samples.filter((sample) => sample.group === group);
  const values = [...new Set(own.flatMap((sample) => Object.keys(sample.values)))];
  const peers = [...new Set(own.map((sample) => sample.peer))];
  const rows = peers.map((peer) => [peer, ...values.map((value) => cell(own, { peer, group, value }))]);
  return markdown(["", ...values], rows);
}

/**
 * @param {readonly Sample[]} samples
 * @param {{ peer: string, group: string, value: string }} which
 */
function cell(samples, { peer, group, value }) {
  const absolute = figure(typical(samples, { peer, group, value }));
  const times = ratio(samples, { value, above: { peer, group }, below: { peer: ANCHOR, group } });
  return times === undefined ? absolute : `${absolute} (${times.toFixed(2)}x)`;
}
