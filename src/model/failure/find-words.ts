/** Words of which any means the same. */
export type Words = readonly string[];

/** Which of many groups have a word that stands in a text. */
export type WordFinder = (text: string) => ReadonlySet<Words>;

interface Entry {
  readonly word: string;
  readonly groups: readonly Words[];
}

/** Of a word, so many characters are looked up; shorter ones are looked for one by one. */
const BEGINNING = 4;

/** A power of two: a beginning is a number below it, and each new character pushes one out. */
const BUCKETS = 4_096;
const SHIFT = 3;

const pushed = (beginning: number, character: number): number => ((beginning << SHIFT) ^ character) & (BUCKETS - 1);

/** One pass over a text finds them all, however many there are. Nothing is made ready before the first text. */
export function wordFinder(groups: readonly Words[]): WordFinder {
  let find: WordFinder | undefined;
  return (text) => (find ??= ready(groups))(text);
}

function ready(groups: readonly Words[]): WordFinder {
  const buckets: (readonly Entry[] | undefined)[] = Array.from({ length: BUCKETS }, () => undefined);
  const short: Entry[] = [];
  for (const [word, meaning] of meanings(groups)) {
    const entry = { word, groups: meaning };
    if (word.length < BEGINNING) {
      short.push(entry);
      continue;
    }
    let bucket = 0;
    for (let at = 0; at < BEGINNING; at += 1) bucket = pushed(bucket, word.charCodeAt(at));
    buckets[bucket] = [...(buckets[bucket] ?? []), entry];
  }
  return (text) => {
    const found = new Set<Words>();
    const note = ({ groups: meaning }: Entry): void => meaning.forEach((group) => found.add(group));
    for (const entry of short) if (text.includes(entry.word)) note(entry);
    let bucket = 0;
    for (let at = 0; at < text.length; at += 1) {
      bucket = pushed(bucket, text.charCodeAt(at));
      const entries = buckets[bucket];
      if (entries === undefined) continue;
      for (const entry of entries) if (text.startsWith(entry.word, at - BEGINNING + 1)) note(entry);
    }
    return found;
  };
}

function meanings(groups: readonly Words[]): ReadonlyMap<string, readonly Words[]> {
  const byWord = new Map<string, Words[]>();
  for (const group of new Set(groups))
    for (const word of group) {
      const known = byWord.get(word);
      if (known === undefined) byWord.set(word, [group]);
      else known.push(group);
    }
  return byWord;
}
