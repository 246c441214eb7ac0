/**
 * What row J1 of the feature table says, read from its words.
 * @typedef {{ reasons: Map<string, number[]>, byFailure: string[], failures: Map<string, number>, otherwise: number }} ExitRow
 */

/**
 * @param {string} markdown the feature table
 * @returns {ExitRow}
 */
export function exitRow(markdown) {
  const row = /^\| J1 \| (.+) \|$/mu.exec(markdown)?.[1] ?? "";
  /** @type {Map<string, number[]>} */
  const reasons = new Map();
  for (const [, codes = "", names = ""] of row.matchAll(/(?<=[:·] )(\d+(?: \/ \d+)?) ([a-z_]+(?:, [a-z_]+)*)/gu))
    for (const name of names.split(", ")) reasons.set(name, codes.split(" / ").map(Number));
  const last = lastFailures(row);
  for (const name of last.byFailure) reasons.set(name, [...last.failures.values(), last.otherwise]);
  return { reasons, ...last };
}

/**
 * @param {string} row
 * @returns {Omit<ExitRow, "reasons">}
 */
function lastFailures(row) {
  const told = /· ([a-z_]+) and ([a-z_]+) by last failure: (.+?), everything else (\d+)\./u.exec(row);
  if (told === null) throw new Error("row J1 does not say what decides the codes of failures");
  const [, first = "", second = "", named = "", otherwise] = told;
  const pairs = [...named.matchAll(/([a-z_]+)\*?(?: or [a-z ]+)? (\d+)/gu)];
  const failures = new Map(pairs.map(([, name = "", code]) => [name, Number(code)]));
  return { byFailure: [first, second], failures, otherwise: Number(otherwise) };
}
