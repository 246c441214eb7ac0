/** Of what may stay of a summary that is too long, so much is its beginning: what was asked and what was done. */
const BEGINNING = 0.7;

/** The beginning and the end of a summary, in about so many characters; one that is no longer is the same. */
export function shortSummary(summary: string, most: number): string {
  if (summary.length <= most) return summary;
  const head = Math.floor(most * BEGINNING);
  const tail = Math.floor(most - head);
  const left = summary.length - head - tail;
  const end = tail > 0 ? summary.slice(-tail).toWellFormed() : "";
  return `${summary.slice(0, head).toWellFormed()}\n[… ${left} characters of this summary left out …]\n${end}`;
}
