interface Clause {
  readonly en: string;
  readonly zh: string;
}

const inBoth = (en: string, zh: string): Clause => ({ en, zh });

/**
 * What is wrong with a key that no header can carry, as a clause: its first strange character by place (from 1) and code
 * point, never the key. Undefined: it can be carried.
 */
export function strangeInKey(key: string): Clause | undefined {
  if (key === "") return inBoth("it is empty", "它是空的");
  const characters = Array.from(key);
  const at = characters.findIndex((character) => !/^[\x21-\x7e]$/.test(character));
  const strange = characters[at];
  if (strange === undefined) return undefined;
  const code = `U+${(strange.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  const { en, zh } = KINDS.find(([characters]) => characters.test(strange))?.[1] ?? OTHER;
  return inBoth(`its character ${at + 1} is ${code}, ${en}`, `它的第 ${at + 1} 个字符是 ${code}（${zh}）`);
}

/** What comes with a key that was copied or typed, by how it looks. */
const KINDS: readonly (readonly [characters: RegExp, name: Clause])[] = [
  [/[\r\n\u0085\u2028\u2029]/u, inBoth("a line break", "换行")],
  [/[\s\u2800\u3164]/u, inBoth("white space", "空白")],
  [/[\p{Cf}\u034f]/u, inBoth("which is invisible", "不可见字符")],
  [/[\p{Pi}\p{Pf}\u201a\u201e\u2032\u2033]/u, inBoth("a curly quote", "弯引号")],
  [/\p{Pd}|\u2212/u, inBoth("a dash that is no hyphen", "不是连字符的横线")],
  [/[\uff01-\uff5e]/u, inBoth("a full-width character", "全角字符")],
  [/\p{Script=Cyrillic}/u, inBoth("a Cyrillic letter", "西里尔字母")],
  [/\p{Script=Greek}/u, inBoth("a Greek letter", "希腊字母")],
  [/\p{Cc}/u, inBoth("a control character", "控制字符")],
];

const OTHER = inBoth("which no key has", "密钥中不会有");
