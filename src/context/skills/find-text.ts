/** Where a text stands in another, or how often it does. */
export type Found = { readonly from: number; readonly until: number } | { readonly count: number };

/** The one place of this text: as it is written, else with any white space where it has some. */
export function findText(text: string, find: string): Found {
  const exact = placesOf(text, find);
  if (exact.length > 0) return only(exact);
  const loose = joined(text);
  const words = joined(find).text;
  // Each end of a place is a sign of a word.
  const at = (index: number): number => loose.from[index] ?? 0;
  return only(placesOf(loose.text, words).map(({ from, until }) => ({ from: at(from), until: at(until - 1) + 1 })));
}

/** The words of a text with one space between two, and for each sign of that where it stands in the text. */
function joined(text: string): { readonly text: string; readonly from: Uint32Array } {
  const words = [...text.matchAll(/\S+/gu)];
  const from = new Uint32Array(text.length);
  let length = 0;
  for (const { 0: word, index } of words) {
    for (let sign = 0; sign < word.length; sign++) from[length + sign] = index + sign;
    length += word.length + 1;
  }
  return { text: words.map(([word]) => word).join(" "), from };
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
