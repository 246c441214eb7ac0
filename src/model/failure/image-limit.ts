/** What a longest side can be, px (hermes.md §9.2 step 6). */
const PLAUSIBLE = { least: 512, most: 8_000 };

const FORMS: readonly RegExp[] = [
  /max allowed size:? ?(\d{3,5})(?!\d)/,
  /(?:at most|maximum(?: of)?|exceeds?|than) (\d{3,5}) ?(?:px|pixels?)/,
  /(?<!\d)(\d{3,5}) ?(?:px|pixels?)/,
];

/** The longest side that a picture may have, px, where a server says so; `text` as `toMatch` leaves it. */
export function imageMaxDimension(text: string): number | undefined {
  for (const form of FORMS) {
    const side = Number(form.exec(text)?.[1]);
    if (side >= PLAUSIBLE.least && side <= PLAUSIBLE.most) return side;
  }
  return undefined;
}
