import { distance } from "../../protocol/nearest.ts";

/** Letters that are read as others; what is not here is told apart by most people. */
const READ_AS: ReadonlyMap<string, string> = new Map([
  ...pairs("0", "oо°οօ"),
  ...pairs("1", "lі|ıι"),
  ...pairs("i", "і"),
  ...pairs("a", "аαɑ"),
  ...pairs("e", "еε"),
  ...pairs("c", "сϲ"),
  ...pairs("p", "рρ"),
  ...pairs("x", "хχ"),
  ...pairs("y", "уγ"),
  ...pairs("s", "ѕ5"),
  ...pairs("h", "һ"),
  ...pairs("j", "ј"),
  ...pairs("n", "ոη"),
  ...pairs("v", "ѵν"),
  ...pairs("k", "кκ"),
  ...pairs("t", "тτ"),
  ...pairs("m", "м"),
  ...pairs("d", "ԁ"),
  ...pairs("g", "ɡ"),
  ...pairs("u", "υս"),
  ...pairs("w", "ѡ"),
]);

function pairs(one: string, others: string): [string, string][] {
  return Array.from(others, (other) => [other, one]);
}

/** What a hasty reader sees of a name: two that are the same here look alike. */
function skeleton(name: string): string {
  const plain = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[\p{M}\p{Cf}\s._-]/gu, "");
  const letters = Array.from(plain, (letter) => READ_AS.get(letter) ?? letter).join("");
  return letters.replaceAll("rn", "m").replaceAll("vv", "w").replaceAll("i", "1");
}

/** In a shorter name, one other letter makes another word. */
const LEAST_LETTERS = 6;

/** The name among these that this one may be taken for: it looks the same, or is one slip away. */
export function lookAlike(name: string, names: readonly string[]): string | undefined {
  const seen = skeleton(name);
  return names.find((other) => other !== name && isAlike(seen, skeleton(other), name, other));
}

function isAlike(...[seen, other, name, known]: readonly [string, string, string, string]): boolean {
  if (seen === other) return true;
  if (seen.length < LEAST_LETTERS || Math.abs(seen.length - other.length) > 1) return false;
  // Those are counted: deploy-1 and deploy-2.
  if (name.replaceAll(/\d+/gu, "") === known.replaceAll(/\d+/gu, "")) return false;
  return distance(seen, other) === 1;
}
