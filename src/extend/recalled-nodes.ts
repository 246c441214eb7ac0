/** A node of a graph, with what is kept of it. */
export interface Node {
  readonly name: string;
  readonly observations: readonly string[];
}

/** So many words are looked for, so many nodes told, in so many characters. */
const MOST_WORDS = 6;
const MOST_NODES = 8;
const MOST_CHARS = 4_000;
/** Shorter words are in everything; a word of Chinese has two characters as a rule. */
const LEAST = 4;
const LEAST_UNSPACED = 2;
const UNSPACED = /[\p{Script=Hani}\p{Script=Hira}\p{Script=Kana}\p{Script=Hang}\p{Script=Thai}]/u;

/** The longest words of a prompt: they say most of what it is about. */
export function searchWords(prompt: string): string[] {
  const segments = new Intl.Segmenter(undefined, { granularity: "word" }).segment(prompt.slice(0, MOST_CHARS));
  const words = [...segments]
    .filter(({ isWordLike }) => isWordLike === true)
    .map(({ segment }) => segment.toLowerCase());
  const telling = words.filter((word) => word.length >= (UNSPACED.test(word) ? LEAST_UNSPACED : LEAST));
  return [...new Set(telling)].toSorted((a, b) => b.length - a.length).slice(0, MOST_WORDS);
}

/** Each node once, those that were found by most words first. */
export function ranked(found: readonly (readonly Node[])[]): Node[] {
  const nodes = new Map<string, { readonly node: Node; hits: number }>();
  for (const node of found.flat()) {
    const known = nodes.get(node.name);
    if (known === undefined) nodes.set(node.name, { node, hits: 1 });
    else known.hits += 1;
  }
  return [...nodes.values()].toSorted((a, b) => b.hits - a.hits).map(({ node }) => node);
}

/** What is told of the nodes: of each what holds a word that was looked for, or else what is known of it, the newest last. */
export function recalledText(nodes: readonly Node[], words: readonly string[]): string {
  const lines: string[] = [];
  let room = MOST_CHARS;
  for (const { name, observations } of nodes.slice(0, MOST_NODES)) {
    const fitting = observations.filter((said) => words.some((word) => said.toLowerCase().includes(word)));
    for (const said of fitting.length > 0 ? fitting : observations) {
      const line = `- ${name}: ${said}`;
      room -= line.length + 1;
      if (room < 0) return lines.join("\n");
      lines.push(line);
    }
  }
  return lines.join("\n");
}
