/** Where a text stands in another, or how often it does. */
export type Found = { readonly from: number; readonly until: number } | { readonly count: number };

/** The one place of this text: as it is written, else with any white space where it has some. */
export function findText(text: string, find: string): Found {
  const exact = placesOf(text, find);
  if (exact.length > 0) return only(exact);
  const words = find
    .trim()
    .split(/\s+/u)
    .map((word) => word.replaceAll(/[^\p{L}\p{N}_]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`));
  const loose = [...text.matchAll(new RegExp(words.join(String.raw`\s+`), "gu"))];
  return only(loose.map(({ 0: match, index }) => ({ from: index, until: index + match.length })));
}

type Place = Extract<Found, { from: number }>;

const only = (places: readonly Place[]): Found =>
  places.length === 1 && places[0] !== undefined ? places[0] : { count: places.length };

function placesOf(text: string, find: string): Place[] {
  const places: Place[] = [];
  for (let at = text.indexOf(find); at >= 0; at = text.indexOf(find, at + find.length))
    places.push({ from: at, until: at + find.length });
  return places;
}
