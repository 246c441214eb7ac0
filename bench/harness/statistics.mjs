/**
 * @param {readonly (number | undefined)[]} values
 * @returns {number | undefined}
 */
export function median(values) {
  return percentile(values, 0.5);
}

/**
 * Interpolated between neighbours.
 * @param {readonly (number | undefined)[]} values
 * @param {number} share from 0 to 1
 * @returns {number | undefined}
 */
export function percentile(values, share) {
  const sorted = values.filter((value) => value !== undefined).toSorted((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const low = sorted[Math.floor(at)];
  const high = sorted[Math.ceil(at)];
  return low === undefined || high === undefined ? undefined : low + (high - low) * (at % 1);
}

/** A sample is calm when other programs used less than this many cores while it was taken. */
const CALM_CORES = 0.35;

/** @typedef {import("./sections.mjs").Sample} Sample */

/** @param {Sample} sample */
const isCalm = (sample) => sample.foreignCores < CALM_CORES;

/**
 * The median of one value of one peer, from calm samples where there are at least two.
 * @param {readonly Sample[]} samples
 * @param {{ peer: string, group: string, value: string }} which
 * @returns {number | undefined}
 */
export function typical(samples, { peer, group, value }) {
  const all = samples.filter((sample) => sample.peer === peer && sample.group === group && value in sample.values);
  const calm = all.filter(isCalm);
  return median((calm.length >= 2 ? calm : all).map((sample) => sample.values[value]));
}

/**
 * The median of the ratios of samples that were taken in the same round, so that drift of the machine cancels out.
 * Only rounds in which both were calm count, where there are at least two of them.
 * @param {readonly Sample[]} samples
 * @param {{ value: string, above: { peer: string, group: string }, below: { peer: string, group: string } }} which
 * @returns {number | undefined}
 */
export function ratio(samples, { value, above, below }) {
  /** @param {{ peer: string, group: string }} side */
  const of = (side) => samples.filter((sample) => sample.peer === side.peer && sample.group === side.group);
  const pairs = of(above).flatMap((a) => of(below).flatMap((b) => (a.round === b.round ? [{ a, b }] : [])));
  const calm = pairs.filter(({ a, b }) => isCalm(a) && isCalm(b));
  const used = calm.length >= 2 ? calm : pairs;
  return median(used.map(({ a, b }) => quotient(a.values[value], b.values[value])));
}

/**
 * @param {number | undefined} a
 * @param {number | undefined} b
 */
const quotient = (a, b) => (a === undefined || b === undefined || b === 0 ? undefined : a / b);
