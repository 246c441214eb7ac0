import type { Kind } from "./mark.ts";
import { isGiven, isOpaque, isTelling } from "./values.ts";

/** Where what stands behind a name is a secret: the name, and what is in front of the value, is the first group. */
export interface Named {
  readonly kind: Kind;
  readonly pattern: RegExp;
  /** Stands somewhere in each line where the pattern finds something, and is found sooner. */
  readonly hint?: RegExp;
  /** Whether this value is one. `next`: the character behind it. */
  readonly isSecret: (value: string, next: string, before: string) => boolean;
}

const inCases = (word: string): string[] => [word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()];
const anyOf = (...words: readonly string[]): string => words.flatMap(inCases).join("|");

/** Ends of names whose values are secrets, however they are written. */
const ENDS = `(?:${[
  anyOf("password", "passwd", "passphrase", "secret", "token", "credential", "credentials"),
  `(?:${anyOf("api", "access", "private", "secret", "encryption", "signing", "master", "auth", "client", "account", "shared", "license", "service", "signature", "storage", "webhook", "admin", "root", "ssh")})[-_]?${`(?:${anyOf("key")})`}`,
  `(?:secret|Secret)(?:_value|Value|_?[Ii]d)`,
  `(?<![A-Za-z])(?:${anyOf("pass", "pwd", "pw", "auth", "cookie", "dsn")})`,
  `(?<=[a-z])(?:Pass|Pwd|Pw|Auth|Cookie|Dsn)`,
].join("|")})`;

const CAPITALS = "(?:KEY|TOKEN|SECRET|PASS|PASSWORD|PASSWD|PASSPHRASE|PWD|PW|CREDENTIALS?|AUTH|COOKIE|DSN)";

/** A call, a place in a list, a member: what stands before is a name in a program. */
const isCode = (next: string): boolean => next === "(" || next === "[";

const isQuotedSecret = (value: string): boolean => !/\s/u.test(value) && isTelling(value);

/** Where a shell works. */
const isFolder = (value: string, before: string): boolean => /^pwd/iu.test(before) && value.startsWith("/");

/** Values where they are surely meant as such, and to be masked also when they are words. */
const STRONG = /(?:PASS|PASSWORD|PASSWD|PASSPHRASE|PW|PWD|SECRET|TOKEN)=["']?$/u;

const OPTION = `(?:--?(?:[\\w-]*[-_])?(?:password|passwd|passphrase|pass|token|secret|api-?key|access-?key|secret-?key|private-?key|auth|credentials?))`;

/** Names of parameters in addresses. */
const PARAMETER =
  "(?:[\\w.-]{0,40}?(?:token|key|secret|password|passwd|pwd|pass|auth|signature|credential)|sig|code|session(?:_?id)?|sid|jwt|sso|ticket)";

const HEADER = `(?:(?:proxy-)?authorization|x-[\\w-]{0,40}?(?:key|token|auth|secret|password|signature)|api-?key|private-token)`;

/** Words of which each line has one where a pattern below finds something; three characters are enough to look there. */
export const INTRODUCTIONS: readonly string[] =
  'pass pwd pw= pw: pw" secret token key credential auth cookie dsn signature sig= code= session sid= jwt sso ticket bearer basic -u\u0020 -u= --user --proxy-user :// hooks.slack webhooks/ mysql mariadb sshpass redis-cli'.split(
    " ",
  );

/** No pattern below finds anything in a line, and the one behind it, where this begins nowhere. */
export const TRIGGER: RegExp =
  /(?:pass(?:word|wd|phrase)?|pwd|pw|secret(?:_?value|_?id)?|token|key|credentials?|auth(?:orization)?|cookie|dsn|signature|sig|code|session(?:_?id)?|sid|jwt|sso|ticket)(?:\\?["']?\]?\s{0,8}[:=]|\s)|:\/\/[^\s/]{0,400}@|(?:bearer|basic)\s|-u[= ]|--(?:proxy-)?user|hooks\.slack|webhooks\/|mysql|mariadb|sshpass|redis-cli/iuy;

/** Faster without a flag. */
const IS_HEADER = new RegExp("authorization|cookie|bearer|basic", "i");
const IS_GIVEN = new RegExp(`${ENDS}\\\\?["']?\\]?\\s{0,9}[:=]`);

/** A remark may stand before it. */
const LINE_END = "(?=[ \\t]*(?:#[^\\n]*)?(?:\\r?\\n|$))";

const OF_A_FORM = "(?:password|passwd|passphrase|pwd|client_secret)";
/** No blank to be filled in, no star in place of a sign. */
const IN_A_FORM = "(?:[\\w.~+!-]|%[0-9A-F]{2})[^&\\s\"'`<>#;,()\\[\\]{}$*‹]{2,200}";

export const NAMED: readonly Named[] = [
  {
    // A whole line: what follows the scheme, and each of several values.
    kind: "header",
    hint: IS_HEADER,
    pattern:
      /((?:proxy-)?authorization["']?[ \t]{0,4}[:=][ \t]{0,4}["'`]?(?:digest|aws4-hmac-sha256|oauth|hawk|signature)[ \t]+)([^\n"'`]*=[^\n]*)/giu,
    isSecret: (value) => !value.includes("${"),
  },
  {
    kind: "header",
    hint: IS_HEADER,
    pattern: /((?<![-\w])cookie["']?[ \t]{0,4}:[ \t]{0,4}["']?)([^\s=;,"'`(){}<>‹]+=[^\n"'`]+)/giu,
    isSecret: (value) => !value.includes("${") && isTelling(value.slice(value.indexOf("=") + 1)),
  },
  {
    kind: "header",
    hint: IS_HEADER,
    pattern: /(\bset-cookie["']?[ \t]{0,4}:[ \t]{0,4}["']?[^\s=;,"'`(){}<>‹]+=)([^\s;,"'`‹]+)/giu,
    isSecret: (value) => isTelling(value),
  },
  {
    kind: "header",
    hint: IS_HEADER,
    pattern: /(\b(?:bearer|basic)[ \t]{1,4})([\w.~+/:-]{6,}={0,2})/giu,
    isSecret: isOpaque,
  },
  {
    kind: "header",
    pattern: new RegExp(
      `(\\b${HEADER}["']?[ \\t]{0,4}:[ \\t]{0,4}["'\`]?(?:(?:bearer|basic|token|bot|apikey|api-key|key|negotiate|sso-key)[ \\t]+)?)([^\\s"'\`,;{}()[\\]<>‹]{4,})`,
      "giu",
    ),
    isSecret: (value, next) => !isCode(next) && isTelling(value),
  },
  {
    kind: "url",
    pattern: /(:\/\/[^\s/:@"'`<>‹]{0,128}:)([^\s/@"'`<>‹]{1,256}(?=@))/gu,
    isSecret: (value) => !/^[$<{%*[…\\]/u.test(value),
  },
  {
    kind: "url",
    pattern: /(:\/\/)([\w.~-]{16,256}(?=@[\w[]))/gu,
    isSecret: (value) => isTelling(value, 16),
  },
  {
    kind: "url",
    pattern: new RegExp(`([?&;]${PARAMETER}=)([^&\\s"'\`<>#;,)\\]}‹]{4,})`, "giu"),
    isSecret: (value) => isTelling(value),
  },
  {
    kind: "url",
    pattern: /((?<![\w-])x-amz-(?:signature|credential|security-token)=)([^&\s"'`<>‹]{6,})/giu,
    isSecret: (value) => isTelling(value),
  },
  {
    // The body of a form: one of several values, so that a word is no less one than what is none.
    kind: "password",
    pattern: new RegExp(`([?&]${OF_A_FORM}=)(${IN_A_FORM})`, "giu"),
    isSecret: (_value, next) => !isCode(next),
  },
  {
    kind: "password",
    pattern: new RegExp(`((?<![\\w.$-])${OF_A_FORM}=)(${IN_A_FORM})(?=&[\\w.-]{1,64}=)`, "giu"),
    isSecret: () => true,
  },
  {
    kind: "url",
    pattern:
      /(hooks\.slack\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/webhooks\/\d+\/)([\w/-]{12,})/gu,
    isSecret: () => true,
  },
  {
    kind: "password",
    pattern: new RegExp(`(?<![\\w$.])([A-Z][A-Z0-9_]{0,80}?${CAPITALS}=["']?)([^\\s"'\`;&|<>(){}[\\]‹,]+)`, "gu"),
    isSecret: (value, next, before) =>
      !isCode(next) && !/^(?:OLD)?PWD=/u.test(before) && (STRONG.test(before) ? isGiven(value) : isTelling(value)),
  },
  {
    kind: "password",
    pattern: new RegExp(`((?<![\\w-])${OPTION}(?:=|[ \\t]{1,4})["']?)([^\\s"'\`;&|<>()‹]+)`, "gu"),
    isSecret: (value, next, before) =>
      !isCode(next) && (before.endsWith("=") ? isGiven(value) : isTelling(value, 4) && !value.startsWith("-")),
  },
  {
    kind: "password",
    pattern: /((?<![\w-])(?:-u|--user|--proxy-user)[= ]{1,2}["']?[^\s:"'`/]{1,64}:)([^\s"'`‹]+)/gu,
    isSecret: (value) => isTelling(value, 4) || (isGiven(value) && /[A-Z]/u.test(value)),
  },
  {
    kind: "password",
    pattern:
      /(\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;]{0,120}?\s-p|\bsshpass\s+-p\s*|\bredis-cli\b[^\n|;]{0,120}?\s-a\s+|\blogin\s+\S{1,64}\s+password\s+)["']?([^\s"'`‹]+)/gu,
    isSecret: (value) => isGiven(value),
  },
  {
    // JSON, and objects in programs: a text in quotes.
    kind: "password",
    hint: IS_GIVEN,
    pattern: new RegExp(
      `(${ENDS}\\\\?["']?\\]?[ \\t]{0,8}(?::|=>|:?=|==)\\s{0,8}\\\\?["'\`])([^"'\`\\n\\\\‹]{4,400})(?=\\\\?["'\`])`,
      "gu",
    ),
    isSecret: (value) => isQuotedSecret(value),
  },
  {
    // A file of settings: the value ends the line.
    kind: "password",
    hint: IS_GIVEN,
    pattern: new RegExp(`(${ENDS}["']?[ \\t]{0,8}(?::|\\s=)[ \\t]{0,8})([^\\s"'\`,;(){}[\\]<>‹]+)${LINE_END}`, "gu"),
    isSecret: (value, _next, before) => !isFolder(value, before) && isTelling(value),
  },
  {
    kind: "password",
    hint: IS_GIVEN,
    pattern: new RegExp(`(${ENDS}["']?=[ \\t]{0,8})([^\\s"'\`,;(){}[\\]<>‹&]+)${LINE_END}`, "gu"),
    isSecret: (value, _next, before) => !isFolder(value, before) && isTelling(value),
  },
  {
    // Forms, logs, connection strings: without a space.
    kind: "password",
    hint: IS_GIVEN,
    pattern: new RegExp(`(${ENDS}=)([^\\s"'\`,;&(){}[\\]<>‹]+)`, "gu"),
    isSecret: (value, next, before) => !isCode(next) && !isFolder(value, before) && isTelling(value),
  },
];
