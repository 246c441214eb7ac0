/** Words as often as a language has them: the rank-th is asked for about 1/rank as often as the first. */

const SYLLABLES =
  "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu bra cle dri flo gru sta tre pli con ter".split(" ");
const FREQUENT =
  "the of and to a in is that for it on with as was be by this are from or at file error test build".split(" ");

/**
 * @param {number} seed
 * @returns {(below: number) => number} the same numbers each time
 */
export function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/**
 * Picks a rank below `size`, small ones often.
 * @param {(below: number) => number} random
 * @param {number} size
 */
const rank = (random, size) => Math.floor(size ** (random(1 << 24) / (1 << 24))) - 1;

/** @param {number} index */
function englishWord(index) {
  const frequent = FREQUENT[index];
  if (frequent !== undefined) return frequent;
  const random = numbers(index * 7_919 + 1);
  return Array.from({ length: 1 + random(2) + (index > 300 ? 1 : 0) }, () => SYLLABLES[random(SYLLABLES.length)]).join(
    "",
  );
}

/** @param {number} index */
function chineseWord(index) {
  const random = numbers(index * 104_729 + 3);
  const length = index < 40 ? 1 : 2 + (random(5) === 0 ? random(3) : 0);
  return Array.from({ length }, () => String.fromCodePoint(0x4e00 + rank(random, 3_500) * 5)).join("");
}

const ENGLISH = Array.from({ length: 20_000 }, (_, index) => englishWord(index));
const CHINESE = Array.from({ length: 20_000 }, (_, index) => chineseWord(index));

/**
 * @param {(below: number) => number} random
 * @param {number} length in characters
 */
export function english(random, length) {
  let text = "";
  while (text.length < length) {
    const word = ENGLISH[rank(random, ENGLISH.length)];
    text += random(12) === 0 ? `${word}_${random(10_000)}.ts, ` : `${word} `;
  }
  return text;
}

/**
 * @param {(below: number) => number} random
 * @param {number} length in characters
 */
export function chinese(random, length) {
  let text = "";
  while (text.length < length) {
    text += CHINESE[rank(random, CHINESE.length)];
    if (random(8) === 0) text += "，";
    if (random(25) === 0) text += ` ${ENGLISH[rank(random, ENGLISH.length)]} `;
    if (random(60) === 0) text += "🎉";
  }
  return text;
}
