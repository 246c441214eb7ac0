/** A JSON object of a request that nobody has judged yet. */
export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What a value may look like: one sentence for each thing that is wrong, told from `at`. */
export type Shape = (value: unknown, at: string) => readonly string[];

interface Limits {
  readonly min?: number;
  readonly max?: number;
}

const told = (value: unknown): string => (JSON.stringify(value) ?? "nothing").slice(0, 60);

const wrong = (at: string, what: string, value: unknown): readonly string[] => [`${at}: ${what}, it is ${told(value)}`];

export const anything: Shape = () => [];

export const boolean: Shape = (value, at) => (typeof value === "boolean" ? [] : wrong(at, "must be a boolean", value));

export const number =
  ({ min = -Infinity, max = Infinity }: Limits = {}): Shape =>
  (value, at) =>
    typeof value === "number" && value >= min && value <= max
      ? []
      : wrong(at, `must be a number from ${min} to ${max}`, value);

export const integer =
  (limits: Limits = {}): Shape =>
  (value, at) =>
    Number.isInteger(value) ? number(limits)(value, at) : wrong(at, "must be a whole number", value);

/** Any text; the empty one too. */
export const string: Shape = (value, at) => (typeof value === "string" ? [] : wrong(at, "must be a text", value));

/** A text that shows something. */
export const filled: Shape = (value, at) =>
  typeof value === "string" && value.trim() !== "" ? [] : wrong(at, "must be a text that is not empty", value);

export const matching =
  (pattern: RegExp): Shape =>
  (value, at) =>
    typeof value === "string" && pattern.test(value) ? [] : wrong(at, `must match ${pattern.source}`, value);

export const oneOf =
  (...words: readonly (string | boolean | null)[]): Shape =>
  (value, at) =>
    words.some((word) => word === value) ? [] : wrong(at, `must be one of ${words.join(", ")}`, value);

export const list =
  (item: Shape, { min = 0, max = Infinity }: Limits = {}): Shape =>
  (value, at) => {
    if (!Array.isArray(value)) return wrong(at, "must be a list", value);
    if (value.length < min || value.length > max)
      return [`${at}: must hold ${min} to ${max} items, not ${value.length}`];
    return value.flatMap((each, index) => item(each, `${at}[${index}]`));
  };

/** No other fields than these; a field that is there and undefined cannot come over a wire. */
export const object =
  (required: Readonly<Record<string, Shape>>, optional: Readonly<Record<string, Shape>> = {}): Shape =>
  (value, at) => {
    if (!isObject(value)) return wrong(at, "must be an object", value);
    const missing = Object.keys(required).filter((key) => !Object.hasOwn(value, key));
    return [
      ...missing.map((key) => `${at}.${key}: is required`),
      ...Object.entries(value).flatMap(([key, field]) => {
        const shape = Object.hasOwn(required, key)
          ? required[key]
          : Object.hasOwn(optional, key)
            ? optional[key]
            : undefined;
        return shape === undefined ? [`${at}.${key}: nobody knows this field`] : shape(field, `${at}.${key}`);
      }),
    ];
  };

/** An object whose keys are its own affair. */
export const record =
  (item: Shape = anything): Shape =>
  (value, at) =>
    isObject(value)
      ? Object.entries(value).flatMap(([key, field]) => item(field, `${at}.${key}`))
      : wrong(at, "must be an object", value);

/** One of several shapes, told apart by the word in one field. */
export const tagged =
  (tag: string, shapes: Readonly<Record<string, Shape>>): Shape =>
  (value, at) => {
    const word = isObject(value) ? value[tag] : undefined;
    const shape = typeof word === "string" && Object.hasOwn(shapes, word) ? shapes[word] : undefined;
    return shape === undefined
      ? wrong(`${at}.${tag}`, `must be one of ${Object.keys(shapes).join(", ")}`, word)
      : shape(value, at);
  };

/** An object with exactly one of these fields, and those of `beside`. */
export const union =
  (members: Readonly<Record<string, Shape>>, beside: Readonly<Record<string, Shape>> = {}): Shape =>
  (value, at) => {
    if (!isObject(value)) return wrong(at, "must be an object", value);
    const set = Object.keys(members).filter((key) => Object.hasOwn(value, key));
    if (set.length !== 1) return wrong(at, `must hold exactly one of ${Object.keys(members).join(", ")}`, value);
    return object({}, { ...members, ...beside })(value, at);
  };

/** One of several shapes; what is wrong is told of the one that a value seems to be meant as. */
export const either =
  (...shapes: readonly Shape[]): Shape =>
  (value, at) => {
    const found = shapes.map((shape) => shape(value, at));
    if (found.some((wrongs) => wrongs.length === 0)) return [];
    return found.find((wrongs) => !wrongs.some((each) => each.startsWith(`${at}: must be `))) ?? found.flat();
  };

/** `shape`, and what else `more` finds in a value that has it. */
export const also =
  (shape: Shape, more: (value: Json, at: string) => readonly string[]): Shape =>
  (value, at) => {
    const found = shape(value, at);
    return found.length === 0 && isObject(value) ? more(value, at) : found;
  };

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export const base64: Shape = (value, at) =>
  typeof value === "string" && value !== "" && BASE64.test(value) ? [] : wrong(at, "must be base64", value);

export const webAddress: Shape = matching(/^https?:\/\/[^\s/]+/);

/** The items of a list in a body that may be illegal anywhere. */
export const objectsOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Values that are there more than once. */
export const repeated = (values: readonly string[]): readonly string[] => [
  ...new Set(values.filter((value, at) => values.indexOf(value) !== at)),
];

/** Whether roles take turns, beginning with `first`. */
export function turnsOf(messages: readonly Json[], first: string, at: string): readonly string[] {
  return messages.flatMap(({ role }, index) => {
    if (index === 0) return role === first ? [] : [`${at}[0]: the conversation must begin with the ${first}`];
    return messages[index - 1]?.["role"] === role
      ? [`${at}[${index}]: two messages of the ${String(role)} follow each other`]
      : [];
  });
}

/** What is said of each rule that is broken. */
export const brokenRules = (...rules: readonly (readonly [broken: boolean, what: string])[]): readonly string[] =>
  rules.flatMap(([broken, what]) => (broken ? [what] : []));
