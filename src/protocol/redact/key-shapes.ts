/**
 * How keys of well-known services look: what they begin with, and what follows. A space separates the two; behind a
 * beginning follow letters, digits, `-` and `_`, as many as the number says at least, or what is written out.
 */
const KEYS = `
  sk-ant- 12 | sk-proj- 12 | sk-or- 12 | sk-svcacct- 12 | sk-admin- 12 | sk-lf- 12
  sk_live_ 10 | sk_test_ 10 | rk_live_ 10 | rk_test_ 10 | pk_live_ 10 | whsec_ 16 | shippo_live_ 16 | shippo_test_ 16
  ghp_ 16 | gho_ 16 | ghu_ 16 | ghs_ 16 | ghr_ 16 | github_pat_ 16
  glpat- 16 | gldt- 16 | glrt- 16 | glptt- 16 | glsoat- 16 | glft- 16 | glcbt- 16 | glimt- 16 | glagent- 16
  xoxa- 10 | xoxb- 10 | xoxe- 10 | xoxo- 10 | xoxp- 10 | xoxr- 10 | xoxs- 10 | xoxe.xox 10 | xapp- 10
  AIza 30 | ya29. 16 | GOCSPX- 16 | 1//0 30
  AKIA [A-Z0-9]{16}(?![A-Za-z0-9]) | ASIA [A-Z0-9]{16}(?![A-Za-z0-9]) | ABIA [A-Z0-9]{16}(?![A-Za-z0-9])
  ACCA [A-Z0-9]{16}(?![A-Za-z0-9]) | ABSK [A-Za-z0-9+/=]{40,} | bedrock-api-key- [A-Za-z0-9+/=]{20,}
  hf_ 20 | gsk_ 20 | xai- 20 | pplx- 16 | tvly- 16 | r8_ 20 | nvapi- 20 | fw_ 20 | csk- 20 | lsv2_pt_ 16 | lsv2_sk_ 16
  npm_ [A-Za-z0-9]{20,} | pypi- 20 | rubygems_ 20 | dckr_pat_ 16 | dckr_oat_ 16 | CCIPAT_ 16 | bkua_ 20 | nfp_ 20 | sbp_ 20 | sb_secret_ 16
  dop_v1_ 16 | doo_v1_ 16 | dor_v1_ 16 | ntn_ 16 | secret_ [A-Za-z0-9]{40,} | lin_api_ 20 | lin_oauth_ 20 | figd_ 20 | figu_ 20
  shpat_ 20 | shpca_ 20 | shppa_ 20 | shpss_ 20 | sq0atp- 16 | sq0csp- 16 | sq0idp- 16 | EAAAE 40 | EAAA 60
  SG. [\\w-]{16,}(?:\\.[\\w-]+)* | key- [0-9a-f]{32}(?![0-9a-f]) | xkeysib- 20 | re_ [A-Za-z0-9]{8}_[A-Za-z0-9]{16,}
  hvs. 16 | hvb. 16 | hvr. 16 | tskey- 16 | dapi [0-9a-f]{32} | PMAK- 20 | NRAK- 16 | NRII- 16 | glsa_ 20 | glc_ 20
  phx_ 20 | phc_ 20 | sntrys_ 20 | sntryu_ 20 | dp.pt. 20 | dp.st. 20 | dp.ct. 20 | pul- [0-9a-f]{40} | pscale_tkn_ 20 | pscale_pw_ 20
  ATATT3x 20 | ATCTT3x 20 | ATBB 24 | CFPAT- 20 | rnd_ 20 | fm1_ [\\w+/=,-]{20,} | fm2_ [\\w+/=,-]{20,} | HRKU- 20
  fal_ 16 | bb_live_ 16 | gAAAA 16 | exa_ 16 | syt_ 16 | hsk- 16 | mem0_ 16 | brv_ 16 | retaindb_ 16 | atlasv1. 20
  fc- (?=[a-z]{0,64}\\d)[a-z0-9]{16,} | am_ (?=\\w{0,64}?\\d)[A-Za-z0-9]{16,} | sk_ (?=\\w{0,64}?\\d)[A-Za-z0-9]{16,}
  vercel_ 20 | mfa. 40 | sl. (?:u\\.)?[\\w-]{60,} | EAAB 40 | EAAC 40 | EAAG 40
  ops_eyJ 20 | AGE-SECRET-KEY-1 [A-Z0-9]{20,} | LTAI [A-Za-z0-9]{16,} | AQVN 30 | t1.9eu 20
  eyJhbGci [\\w-]{12,}(?:\\.[\\w-]+)* | eyJ0eXAi [\\w-]{12,}(?:\\.[\\w-]+)* | eyJraWQi [\\w-]{12,}(?:\\.[\\w-]+)*
  eyJlbmMi [\\w-]{12,}(?:\\.[\\w-]*)* | eyJ [\\w-]{10,}\\.eyJ[\\w-]{4,}(?:\\.[\\w-]+)*
`;

const shapes = KEYS.split(/[|\n]/u)
  .map((line) => line.trim().split(/\s+/u))
  .flatMap(([begin = "", rest = ""]) => (begin === "" ? [] : [{ begin, rest }]));

const shapeOf = ({ begin, rest }: (typeof shapes)[number]): string =>
  begin.replaceAll(/[./]/gu, "\\$&") + (/^\d+$/u.test(rest) ? `[\\w-]{${rest},}` : rest);

/** Ids of bots of Discord, in base64, begin with one of each. */
const BOTS = ["M", "N", "O"].flatMap((first) =>
  ["D", "T", "j", "z"].flatMap((second) => Array.from("AEIMQUYcgk", (third) => first + second + third)),
);
const OTHERS = [
  "[MNO][DTjz][A-Za-z\\d]{22,26}\\.[\\w-]{6}\\.[\\w-]{20,}",
  "SK[0-9a-f]{32}(?![A-Za-z0-9])",
  "A3-[A-Z0-9]{6}-[A-Z0-9-]{20,}",
  "sk-(?=[\\w-]{0,64}?[0-9A-Z])[\\w-]{12,}",
];

/** A sign behind the number of a bot of Telegram, and the one that every word there may begin with. */
const OF_BOTS = Array.from(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
  (first) => first,
).flatMap((first) => Array.from("0123456789", (digit) => `${digit}:${first}`));

/** What the keys of KEY_SHAPES begin with; three characters are enough to look there. */
export const KEY_BEGINS: readonly string[] = [
  ...shapes.map(({ begin }) => begin),
  ...BOTS,
  ...Array.from("0123456789abcdef", (digit) => `SK${digit}`),
  ...OF_BOTS,
  "A3-",
  "sk-",
  "-----BEGIN ",
];

const LINE_END = /(?:["'`][ \t]{0,8}[+,]?[ \t]{0,8}\r?\n[ \t]*["'`]|\\[rn]|\r?\n[ \t]*)+/u.source;
const BEHIND_IT = /(?=[\r\n\\"'`]|$)/u.source;
const LINE = `(?:(?:Proc-Type|DEK-Info|Comment|Version|Hash): [^\\n\\\\]{0,200}|[A-Za-z0-9+/=]+)${BEHIND_IT}`;

/** A key in a file; where the end was cut off, what there is of it is no less secret. */
const PRIVATE_KEY =
  `-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:${LINE_END}${LINE}|[ \\t]+[A-Za-z0-9+/=]{20,})+` +
  `(?:\\s|\\\\[rn])*(?:-----END [A-Z0-9 ]{0,40}-----)?`;

/** A key of Telegram: behind the number of a bot, and no hash. */
export const BOT_KEY: RegExp = /(?<=(?:^|\D)\d{8,12}:)(?![0-9a-f]{30,}(?![\w-]))[\w-]{30,}/uy;

/** A key that begins here, at the beginning of a word; `sk-` begins names as well, and then has no digit and no capital. */
export const KEY_SHAPES: RegExp = new RegExp(
  `(?<![A-Za-z0-9])(?:${[...shapes.map(shapeOf), ...OTHERS].toSorted().join("|")}|${PRIVATE_KEY})`,
  "uy",
);
