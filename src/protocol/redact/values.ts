/** What stands where a secret would, and is none: a blank to be filled in, or the name of a variable. */
const BLANK =
  /^(?:[<$%{[(*#@`‹…]|\\[$"']|x{3,}|\*|\.{2,}|_{2,}|-{2,}|(?:your|my|some|insert|enter|replace|change|placeholder|example|redacted|hidden|masked|secret|password|passwd|todo)(?:[-_ .]?[a-z]+)*$)/iu;
/** Words of programs. */
const WORD =
  /^(?:true|false|yes|no|on|off|null|nil|none|undefined|void|never|any|unknown|empty|unset|default|required|optional|disabled|enabled|string|str|text|bytes|buffer|number|bool(?:ean)?|int(?:eger)?|float|object|array|list|dict|function|char|file|path|env|prompt|stdin|basic|bearer|digest|oauth2?|jwt|ldap|plain|login|auto|always|user|username|token|key|value|pass|pwd|pw|api[-_]?key|auth|cookie|credentials?|dsn)[?!;,.]*$/iu;
const NUMBER = /^[-+]?\d{1,7}(?:\.\d+)?[a-z%]{0,2}$/iu;
/** Identifiers with dots between them, as a program writes them. */
const MEMBER = /^[A-Za-z_$][\w$]*(?:(?:\?\.|\.|->|::)[A-Za-z_$][\w$]*)+$/u;
const PATH = /^(?:~|\.{1,2})?\//u;

const PARTS = /[-_.,/\\:\s]+|(?<=[a-z])(?=[A-Z])/u;
const PART = /^(?:[A-Z]?[a-z]*|[A-Z]{1,14}s?|\d{1,4})$/u;
const LONGEST_NAME = 120;

/** Words, or a name that is made of words. */
const isWordy = (value: string): boolean =>
  value.length <= LONGEST_NAME && value.split(PARTS).every((part) => PART.test(part));

/** A blank, a word of a program, a small number. */
const isNothing = (value: string): boolean => BLANK.test(value) || WORD.test(value) || NUMBER.test(value);

/** Where a name in capitals is given a value without a space, as in a file of variables: what is no word of a program. */
export const isGiven = (value: string): boolean =>
  value.length >= 4 && !isNothing(value) && !MEMBER.test(value) && !(PATH.test(value) && isWordy(value));

/** Behind the word for a kind of token: no blank and no words. */
export const isOpaque = (value: string): boolean => value.length >= 6 && !isNothing(value) && !isWordy(value);

/** Where a program could stand as well: no name and no words. */
export const isTelling = (value: string, least = 6): boolean =>
  value.length >= least && !isNothing(value) && !MEMBER.test(value) && !isWordy(value);
