import { globSync, readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { secretCleaner } from "../../src/cli/log/secrets.ts";
import { KnownStream, KnownValues } from "../../src/protocol/redact/known.ts";
import { redact } from "../../src/protocol/redact/redact.ts";
import { RedactedStream } from "../../src/protocol/redact/stream.ts";
import { ENCODINGS, SECRET_LINES, secretLine } from "../../test/support/secret-kinds.ts";

export const about = "secrets found by value and by their looks, lines masked by mistake, and the time of it";

const CORPUS = 20_000_000;
const KEY = /** @type {const} */ ([1, 2]);
const NONE = new KnownValues([], KEY);

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  const known = knownFound();
  const looks = looksFound();
  const { lines, wrong, ms, megabytes } = mistakes(root);
  const share = (wrong / lines) * 100;
  const each = ms / megabytes;
  return [
    {
      figure: "known secrets: 60 kinds x 12 encodings x cuts x 4 sinks",
      value: `${known.found} of ${known.all}`,
      goal: "all",
      pass: known.found === known.all,
    },
    {
      figure: "secrets by their looks: 60 kinds x 20 x whole and in pieces",
      value: `${((looks.found / looks.all) * 100).toFixed(2)} %`,
      goal: "≥ 98 %",
      pass: looks.found / looks.all >= 0.98,
    },
    {
      figure: `lines masked in ${megabytes.toFixed(1)} MB of code, history and logs`,
      value: `${wrong} of ${lines}, ${share.toFixed(4)} %`,
      goal: "≤ 0.1 %",
      pass: share <= 0.1,
    },
    { figure: "time for a megabyte", value: `${each.toFixed(1)} ms`, goal: "≤ 50 ms", pass: each <= 50 },
  ];
}

/** What tools say, whole and as it is shown; what a model says; what is logged. */
const SINKS = [
  (/** @type {KnownValues} */ known, /** @type {string[]} */ pieces) => redact(pieces.join(""), known),
  (/** @type {KnownValues} */ known, /** @type {string[]} */ pieces) => inPieces(new RedactedStream(known), pieces),
  (/** @type {KnownValues} */ known, /** @type {string[]} */ pieces) => inPieces(new KnownStream(known), pieces),
  (/** @type {KnownValues} */ known, /** @type {string[]} */ pieces) =>
    secretCleaner({}, known.secrets)(pieces.join("")),
];

/**
 * @param {RedactedStream | KnownStream} stream
 * @param {string[]} pieces
 */
const inPieces = (stream, pieces) => pieces.map((piece) => stream.pass(piece)).join("") + stream.end();

const CUTS = [1, 2, 3, 5, 7, 11, 13, 17, 29];

/** @type {(text: string, cut: number) => string[]} */
const cutAt = (text, cut) => [text.slice(0, cut), text.slice(cut, cut + 9), text.slice(cut + 9)];

/** @type {(shown: string) => boolean} */
const isHidden = (shown) =>
  shown.includes("‹redacted:") && shown.replaceAll(/‹[^›]*›/gu, "").length <= "before <> behind".length + 12;

function knownFound() {
  const told = { found: 0, all: 0 };
  for (const [at, line] of SECRET_LINES.entries()) {
    const { secret } = secretLine(line, at + 101);
    const known = new KnownValues([secret], KEY);
    for (const encoded of ENCODINGS) {
      const text = `before <${encoded(secret)}> behind`;
      told.all += SINKS.length * CUTS.length;
      told.found += SINKS.flatMap((sink) => CUTS.map((cut) => sink(known, cutAt(text, cut)))).filter(isHidden).length;
    }
  }
  return told;
}

function looksFound() {
  const told = { found: 0, all: 0 };
  for (const line of SECRET_LINES) {
    for (let seed = 1; seed <= 20; seed++) {
      const { text, secret } = secretLine(line, seed * 7919);
      const shown = [redact(text, NONE), inPieces(new RedactedStream(NONE), Array.from(text))];
      const found = shown.filter((each) => each.includes("‹redacted:") && !each.includes(secret.slice(0, 8)));
      told.all += shown.length;
      told.found += found.length;
      if (seed === 1 && found.length < shown.length) console.log(`not found: ${text}`);
    }
  }
  return told;
}

/** Ordinary code, history and logs; tests hold made-up secrets, and are no ordinary code. */
/** @param {string} root */
function corpus(root) {
  const sources = globSync(["src/**/*.ts", "docs/**/*.md", "scripts/**/*.mjs"], { cwd: root });
  const others = globSync(
    "node_modules/{vitest,vite,typescript,openai,fast-check,@types,undici-types,commander,rolldown}/**/*.{js,ts,mjs,md,json}",
    { cwd: root },
  );
  const history = execFileSync("git", ["log", "--stat", "-n", "2000"], { cwd: root, encoding: "utf8", maxBuffer: 1e9 });
  const texts = [history, logs()];
  let size = history.length;
  for (const path of [...sources.filter((path) => !path.includes(".test.")), ...others]) {
    if (size >= CORPUS) break;
    const text = readFileSync(join(root, path), "utf8");
    if (text.length > 2_000_000) continue;
    texts.push(text);
    size += text.length;
  }
  return texts;
}

/** As servers and builds write them. */
function logs() {
  const lines = [];
  for (let at = 0; at < 20_000; at++) {
    const id = ((at * 2654435761) >>> 0).toString(16).padStart(8, "0");
    lines.push(
      `2026-11-30T20:${String(at % 60).padStart(2, "0")}:00.${at % 1000}Z INFO request ${id}-${id} GET /v1/items/${at}?page=${at % 9}&sort=name 200 ${at % 97}ms`,
    );
    lines.push(
      `npm http fetch GET 200 https://registry.test/pkg-${at} ${at % 300}ms (cache hit) integrity=sha512-${id}${id}`,
    );
    lines.push(`[worker-${at % 8}] tokens in=${at} out=${at % 512} session=${id} cache key v1-linux-${at % 20} hit`);
  }
  return lines.join("\n");
}

/** @param {string} root */
function mistakes(root) {
  const known = new KnownValues(
    ["plainOpaqueValue-77-not-a-prefix", `sk-ant-${"a1B2".repeat(10)}`, "hunter2-hunter2"],
    KEY,
  );
  const told = { lines: 0, wrong: 0, ms: 0, megabytes: 0 };
  for (const text of corpus(root)) {
    const before = process.cpuUsage();
    const shown = redact(text, known);
    const { user, system } = process.cpuUsage(before);
    told.ms += (user + system) / 1_000;
    told.megabytes += text.length / 1e6;
    told.lines += text.split("\n").length;
    if (shown !== text)
      told.wrong += shown.split("\n").filter((line) => /‹redacted:[a-z-]+:[0-9a-f]{4}›/u.test(line)).length;
  }
  return told;
}
