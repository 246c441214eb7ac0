/** Units as people and servers write them, ms. */
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const AMOUNT = String.raw`(\d{1,9}(?:\.\d{1,9})?)`;
const UNIT = String.raw`(milliseconds?|msecs?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)`;

/** How a time begins that a server asks to wait (hermes.md §10.8, §26.11; nanobot.md §19.2); its amounts follow. */
const BEGINNINGS: readonly RegExp[] = [
  /quotaresetdelay"?:? ?"?/g,
  /resets? (?:in|after):? ?/g,
  /try again (?:in|after) ?/g,
  /retry[ _-]?after(?:[_ -]seconds)?"?[:=]? ?"?/g,
  /retry in ?/g,
  /wait (?:for )?(?=\d{1,9}(?:\.\d{1,9})? before)/g,
];

/** The same, of amounts that have a unit. */
const VAGUE_BEGINNINGS: readonly RegExp[] = [/retry /g, /wait (?:for )?/g];

/** `1h 2m`, `1 hour and 2 minutes`, `6m0s`, `1500ms`, `7`: amounts without a unit are seconds. */
const FIRST = new RegExp(String.raw`^(?:about |approximately |~)?${AMOUNT} ?(?:${UNIT}(?![a-z]))?`);
const NEXT = new RegExp(String.raw`^,? ?(?:and )?${AMOUNT} ?${UNIT}(?![a-z])`);
const CHAINED = new RegExp(String.raw`^(?:about |approximately |~)?((?:${AMOUNT}(?:ms|s|m|h|d)){2,6})(?![a-z\d])`);

/** Longer than anybody would name, ms: a number that says something else. */
export const LONGEST_WAIT: number = 366 * 86_400_000;

/** Most texts name no time, and none is looked for in them. */
const SPEAKS_OF_TIME = /reset|again|retry|wait/;

/** Whoever asks for nothing does not mean at once, ms (nanobot.md §19.2). */
const LEAST = 100;

/** How long a server asks to wait, in its words, ms; `text` as `toMatch` leaves it. */
export function waitInWords(text: string): number | undefined {
  if (!SPEAKS_OF_TIME.test(text)) return undefined;
  const wait = firstTime(text, BEGINNINGS, false) ?? firstTime(text, VAGUE_BEGINNINGS, true);
  return wait === undefined ? undefined : Math.max(LEAST, wait);
}

function firstTime(text: string, beginnings: readonly RegExp[], needsUnit: boolean): number | undefined {
  for (const beginning of beginnings) {
    for (const found of text.matchAll(beginning)) {
      const begin = found.index + found[0].length;
      const wait = timeAt(text.slice(begin, begin + LONGEST_TIME), needsUnit);
      if (wait !== undefined && wait <= LONGEST_WAIT) return wait;
    }
  }
  return undefined;
}

/** Characters. */
const LONGEST_TIME = 80;

function timeAt(text: string, needsUnit: boolean): number | undefined {
  const chained = CHAINED.exec(text)?.[1];
  if (chained !== undefined) return durationMs(chained);
  const first = FIRST.exec(text);
  if (first === null || (needsUnit && first[2] === undefined)) return undefined;
  let total = Number(first[1]) * unitMs(first[2]);
  if (first[2] === undefined) return total;
  let rest = text.slice(first[0].length);
  for (let next = NEXT.exec(rest); next !== null; next = NEXT.exec(rest)) {
    total += Number(next[1]) * unitMs(next[2]);
    rest = rest.slice(next[0].length);
  }
  return total;
}

/** `6m0s`, `20ms`, `1h2m3s`, ms; undefined for anything else. */
export function durationMs(text: string): number | undefined {
  if (!/^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|s|m|h|d)){1,6}$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) total += Number(amount) * unitMs(unit);
  return total;
}

/** Without a unit: seconds. */
const unitMs = (unit = "s"): number => UNITS[/^m(?:s|illi)/.test(unit) ? "ms" : unit.slice(0, 1)] ?? 1_000;
