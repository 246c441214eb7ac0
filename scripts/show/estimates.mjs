import { textTokens } from "../../src/protocol/token-estimate.ts";
import { familyOf } from "../../src/protocol/token-family.ts";
import { errorsOf, readCorpus, readFamilies, readUsage } from "../../test/support/token-corpus.ts";

export const about = "estimates of tokens beside what o200k counts: each kind of text, those held out, and their speed";

/** Percent; ns for a character, and ms for a very long text: ours, so that nobody waits for an estimate. */
const GOALS = { p90: 10, low: -25, speed: 20, longest: 20 };

/** @returns {Promise<import("../show.mjs").Figure[]>} */
export async function measure() {
  const tuned = readCorpus("tuned");
  const heldOut = readCorpus("held-out");
  const kinds = Map.groupBy([...tuned, ...heldOut], ({ kind }) => kind);
  // Before anything is counted in another way: what runs first is measured as it is used.
  const speed = speeds([...tuned, ...heldOut].map(({ text }) => text).join("\n"));
  return [
    errors("all tuned", tuned, GOALS.p90),
    errors("all held out", heldOut, GOALS.p90),
    ...[...kinds].map(([kind, texts]) => errors(kind, texts)),
    ...readFamilies().map(({ model, source, tokens }) =>
      figure(
        // A published tokenizer stands for a family of models: what a provider tells is what the p90 is asked of.
        `${source.split(",")[0]}, held out`,
        heldOut.flatMap(({ id, text }) => {
          const truth = tokens[id];
          return truth === undefined ? [] : [{ estimate: textTokens(text, familyOf(model)), truth }];
        }),
      ),
    ),
    figure(
      "usage that providers told",
      readUsage().map(({ model, o200k, told }) => ({ estimate: o200k * (familyOf(model)[0] ?? 1), truth: told })),
      GOALS.p90,
    ),
    ...speed,
  ];
}

/**
 * @param {string} name
 * @param {import("../../test/support/token-corpus.ts").CorpusText[]} texts
 * @param {number} [most] percent at p90; one kind has too few texts for that
 */
const errors = (name, texts, most) =>
  figure(
    name,
    texts.map(({ text, tokens }) => ({ estimate: textTokens(text), truth: tokens })),
    most,
  );

/**
 * @param {string} name
 * @param {{ estimate: number, truth: number }[]} pairs
 * @param {number} [most]
 * @returns {import("../show.mjs").Figure}
 */
function figure(name, pairs, most) {
  const { p50, p90, low, high } = errorsOf(pairs);
  return {
    figure: `${name}, ${pairs.length} texts`,
    value: `p50 ${percent(p50)}, p90 ${percent(p90)}, worst ${percent(low)} and +${percent(high)}`,
    goal: `${most === undefined ? "" : `p90 <= ${most} %, `}none below ${GOALS.low} %`,
    pass: p90 * 100 <= (most ?? Infinity) && low * 100 >= GOALS.low,
  };
}

/** @param {number} share */
const percent = (share) => `${(share * 100).toFixed(1)} %`;

/**
 * Each the best of many, so that what else runs on the machine is not counted.
 * @param {string} corpus
 * @returns {import("../show.mjs").Figure[]}
 */
function speeds(corpus) {
  const text = JSON.parse(JSON.stringify(corpus.slice(0, 50_000)));
  const long = Buffer.alloc(10_000_000, "The ferry left an hour late; nobody minded. ").toString("latin1");
  const each = best(() => textTokens(text)) / text.length;
  const longest = best(() => textTokens(long)) / 1e6;
  return [
    {
      figure: "a character",
      value: `${each.toFixed(1)} ns`,
      goal: `<= ${GOALS.speed} ns`,
      pass: each <= GOALS.speed,
    },
    {
      figure: "a text of 10 MB",
      value: `${longest.toFixed(2)} ms`,
      goal: `<= ${GOALS.longest} ms`,
      pass: longest <= GOALS.longest,
    },
  ];
}

/**
 * ns.
 * @param {() => unknown} run
 */
function best(run) {
  let least = Infinity;
  for (let round = 0; round < 60; round += 1) {
    const began = process.hrtime.bigint();
    run();
    least = Math.min(least, Number(process.hrtime.bigint() - began));
  }
  return least;
}
