import { textWidth } from "../../src/session/text-width.ts";

/** What stands above the recording. */
export const COMMAND = "$ npm start -- demo";

/** Of one character, px; each run of text is stretched to it, so that columns meet whatever font there is. */
const WIDE = 8.4;
const HIGH = 18;
const PAD = 16;

const FONT = `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}`;

/** The program writes these signs; the picture gives each a colour. */
const SIGNS = {
  "█": "#58a6ff",
  "▓": "#3fb950",
  "░": "#6e7681",
  "▒": "#d29922",
  "▲": "#f778ba",
  "▚": "#79c0ff",
  "▂": "#8b949e",
  "╳": "#f85149",
  "▤": "#39c5cf",
};

/** @type {readonly (readonly [RegExp, string])[]} */
const LINES = [
  [/^(?:•|✓|…| {2}iteration )/u, "#8b949e"],
  [/^!/u, "#d29922"],
  [/^(?:▸|>)/u, "#f778ba"],
  [/^\$ /u, "#ffffff"],
  [/^\+/u, "#3fb950"],
  [/^(?:-[^ ]|✗|Killed)/u, "#f85149"],
  [/^(?:Its process|Whether) /u, "#d29922"],
];

/**
 * @param {readonly string[]} lines what stands on the terminal
 * @param {number} columns
 * @returns {string}
 */
export function svgOf(lines, columns) {
  const [width, height] = [Math.ceil(columns * WIDE) + 2 * PAD, lines.length * HIGH + 2 * PAD];
  const rows = lines.map((line, at) => rowOf(line, PAD + HIGH * at + 13)).filter((row) => row !== "");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A recorded run of the tour in a terminal">
<style>${FONT}</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${rows.join("\n")}
</svg>
`;
}

/**
 * Terminals below each other, each with what is to be seen on it.
 * @param {readonly import("./film.mjs").Frame[]} frames
 * @param {number} columns
 * @returns {string}
 */
export function filmOf(frames, columns) {
  const width = Math.ceil(columns * WIDE) + 2 * PAD;
  let y = 0;
  const drawn = frames.map(({ caption, lines }, at) => {
    const [top, high] = [y, BAR + lines.length * HIGH + PAD];
    y += high + GAP;
    const rows = lines.map((line, row) => rowOf(line, top + BAR + HIGH * row + 13)).filter((row) => row !== "");
    const title = `<text y="${top + 21}">${spanOf(`${at + 1}. ${caption}`, 0, "#ffffff")}</text>`;
    const screen = `<rect y="${top}" width="100%" height="${high}" rx="8" fill="#0d1117"/>`;
    const bar = `<path d="M0 ${top + 32}v-24a8 8 0 0 1 8 -8h${width - 16}a8 8 0 0 1 8 8v24z" fill="#30363d"/>`;
    return [screen, bar, title, ...rows].join("\n");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y - GAP}" width="${width}" height="${y - GAP}" role="img" aria-label="Four terminals: a turn is killed, found, resumed, explained">
<style>${FONT}</style>
${drawn.join("\n")}
</svg>
`;
}

/** px: above the first line of a frame, and between two. */
const BAR = 46;
const GAP = 14;

/** @param {string} line @param {number} y */
function rowOf(line, y) {
  const colour = LINES.find(([begins]) => begins.test(line))?.[1] ?? "#c9d1d9";
  const runs = [...line.matchAll(/([█▓░▒▲▚▂╳▤])\1*|(?:(?! {2})[^█▓░▒▲▚▂╳▤])+/gu)].filter(
    ([text]) => text.trim() !== "",
  );
  const spans = runs.map((run) => spanOf(run[0], textWidth(line.slice(0, run.index)), colour));
  return spans.length === 0 ? "" : `<text y="${y}">${spans.join("")}</text>`;
}

/** @param {string} run @param {number} at @param {string} colour */
function spanOf(run, at, colour) {
  const text = run.trim();
  const from = at + run.indexOf(text);
  const fill = /** @type {Record<string, string>} */ (SIGNS)[text.charAt(0)] ?? colour;
  const [x, long] = [(PAD + from * WIDE).toFixed(1), (textWidth(text) * WIDE).toFixed(1)];
  return `<tspan x="${x}" textLength="${long}" lengthAdjust="spacingAndGlyphs" fill="${fill}">${escaped(text)}</tspan>`;
}

/** @param {string} text */
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/**
 * All that stands in a film.
 * @param {readonly import("./film.mjs").Frame[]} frames
 */
export const filmLines = (frames) => frames.flatMap(({ caption, lines }, at) => [`${at + 1}. ${caption}`, ...lines]);

/**
 * The lines of a picture that was made here, with their runs apart by one space.
 * @param {string} svg
 * @returns {string[]}
 */
export const linesIn = (svg) =>
  [...svg.matchAll(/<text [^>]*>(.*?)<\/text>/gu)].map(([, row = ""]) =>
    [...row.matchAll(/>([^<]+)<\/tspan>/gu)].map(([, text = ""]) => plain(text)).join(" "),
  );

/** @param {string} text */
const plain = (text) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/**
 * What two recordings of the same program have in common: no times, no ports, no bars, and calls that run side by side
 * may end in any order.
 * @param {readonly string[]} lines
 * @returns {string[]}
 */
export const structureOf = (lines) =>
  lines
    .map((line) =>
      line
        .replaceAll(/[█▓░▒▲▚▂╳▤]+/gu, " ")
        .replaceAll(/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gu, "ID")
        .replaceAll(/\d[\d.,]*/gu, "N")
        .replaceAll(/\s+/gu, " ")
        .trim()
        .replace(/^(?:N m?s )+/u, ""),
    )
    .filter((line) => line !== "")
    .toSorted();
