import { formsOf, SHORTEST } from "./forms.ts";
import { type Kind, type MarkKey, markOf, marksIn } from "./mark.ts";
import { isUnusual, oneLineOf, UNFINISHED } from "./shadow.ts";

/** Where something stands that nobody may see, and the mark for it. */
export interface Range {
  readonly from: number;
  readonly to: number;
  readonly mark: string;
}

interface Form {
  readonly text: string;
  readonly mark: string;
}

/** Places are looked at whose next characters begin a form: so many. */
const BEGIN = 4;
const TABLE = 1 << 16;

/** Four characters leave their traces in it, and nothing before them does. */
const rolled = (hash: number, unit: number): number => ((hash << 4) ^ unit) & (TABLE - 1);

function hashAt(text: string, at: number): number {
  let hash = 0;
  for (let next = at; next < at + BEGIN; next++) hash = rolled(hash, text.charCodeAt(next));
  return hash;
}

const LINE_FEED = 0x0a;
const BACKSLASH = 0x5c;
const EQUALS = 0x3d;
const isBlank = (unit: number): boolean => unit === 0x20 || unit === 0x09;

/** As `rolled`, of eight characters, in whatever case they are; all that are not ASCII are alike. */
const traced = (trace: number, unit: number): number => (trace << 4) ^ (unit < 0x80 ? unit | 0x20 : 0x80);

const hintOf = (trace: number): number => (trace ^ (trace >>> 16)) & (TABLE - 1);

function traceOf(text: string): number {
  let trace = 0;
  for (let at = 0; at < SHORTEST; at++) trace = traced(trace, text.charCodeAt(at));
  return trace;
}

/** What is looked for: at the end of a line, a last sign of some is read as one that the line goes on by. */
const textsOf = (secret: string): readonly string[] =>
  [...formsOf(secret)]
    .map((form) => folded(oneLineOf(form).text))
    .flatMap((text) => (/[\\=]$/u.test(text) ? [text, text.slice(0, -1)] : [text]))
    .filter(({ length }) => length >= SHORTEST);

/** In lower case, with the same places. */
const folded = (text: string): string => {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : Array.from(text, lowerSign).join("");
};

const lowerSign = (sign: string): string => {
  const lower = sign.toLowerCase();
  return lower.length === sign.length ? lower : sign;
};

/**
 * Secrets that are known by their values: each is found in every form of it, in upper and lower case, and where colours,
 * line ends or characters without width stand in it. Those of less than eight characters are not looked for. Linear in the
 * length of a text.
 */
export class KnownValues {
  /** In the order of their texts. */
  readonly #forms: readonly Form[];
  readonly #begins = new Map<number, Form[]>();
  readonly #table = new Uint8Array(TABLE);
  readonly #longest: number;
  /** Of their first characters. */
  readonly #traces = new Set<number>();
  readonly #hints = new Uint8Array(TABLE);

  readonly #key: MarkKey;

  /** As they were given. */
  readonly secrets: readonly string[];

  /** `key`: for the marks. */
  constructor(secrets: readonly string[], key: MarkKey) {
    this.#key = key;
    this.secrets = secrets;
    const forms = new Map<string, Form>();
    for (const secret of secrets.filter(({ length }) => length >= SHORTEST)) {
      const mark = this.mark("known", secret);
      for (const text of textsOf(secret)) if (!forms.has(text)) forms.set(text, { text, mark });
    }
    this.#forms = [...forms.values()].toSorted((a, b) => (a.text < b.text ? -1 : 1));
    this.#longest = Math.max(0, ...this.#forms.map(({ text }) => text.length));
    // Of those that begin at one place, the mark of the longest counts.
    for (const form of this.#forms.toSorted((a, b) => b.text.length - a.text.length)) {
      const trace = traceOf(form.text);
      this.#traces.add(trace);
      this.#hints[hintOf(trace)] = 1;
      const hash = hashAt(form.text, 0);
      this.#table[hash] = 1;
      this.#begins.set(hash, [...(this.#begins.get(hash) ?? []), form]);
    }
  }

  /** What stands for a secret. */
  mark(kind: Kind, secret: string): string {
    return markOf(kind, secret, this.#key);
  }

  get none(): boolean {
    return this.#forms.length === 0;
  }

  /** Where they stand, in order; what overlaps is one. */
  find(text: string): readonly Range[] {
    if (this.none || text.length < SHORTEST || (!isUnusual(text) && !this.#isLikely(text))) return [];
    const shadow = oneLineOf(text);
    const found = this.#findIn(folded(shadow.text));
    if (found.length === 0) return found;
    return outside(
      marksIn(text),
      found.map(({ from, to, mark }) => ({ from: shadow.place(from), to: shadow.behind(to - 1), mark })),
    );
  }

  /** Whether the first characters of a form may stand in it, lines that go on in the next one included: most texts have none. */
  #isLikely(text: string): boolean {
    const [traces, hints] = [this.#traces, this.#hints];
    let [trace, before, at] = [0, 0, 0];
    while (at < text.length) {
      const unit = text.charCodeAt(at++);
      if (unit === LINE_FEED) {
        const last = text.charCodeAt(at - 2);
        if (last === BACKSLASH || last === EQUALS) trace = before;
        while (isBlank(text.charCodeAt(at))) at++;
        continue;
      }
      before = trace;
      trace = traced(trace, unit);
      if (hints[hintOf(trace)] === 1 && traces.has(trace)) return true;
    }
    return false;
  }

  #findIn(lower: string): readonly Range[] {
    const found: { from: number; to: number; mark: string }[] = [];
    const table = this.#table;
    let hash = 0;
    for (let at = 0; at < lower.length; at++) {
      hash = rolled(hash, lower.charCodeAt(at));
      if (table[hash] === 0) continue;
      const from = at - BEGIN + 1;
      for (const { text, mark } of this.#begins.get(hash) ?? []) {
        if (!lower.startsWith(text, from)) continue;
        const last = found.at(-1);
        const to = from + text.length;
        if (last === undefined || from >= last.to) found.push({ from, to, mark });
        else last.to = Math.max(last.to, to);
      }
    }
    return found;
  }

  /** The text without them. */
  redact(text: string): string {
    return replaced(text, this.find(text));
  }

  /** Whether one stands in the text. */
  isIn(text: string): boolean {
    return this.find(text).length > 0;
  }

  /** From where on a text that goes on may hold one that has begun; its length: from nowhere. */
  open(text: string): number {
    if (this.none) return text.length;
    const rest = unfinished(text);
    const before = rest === 0 ? Infinity : this.#openAt(text.slice(0, -rest));
    return Math.min(text.length, before, this.#openAt(text));
  }

  /** Infinity: nowhere. */
  #openAt(text: string): number {
    const shadow = oneLineOf(text);
    const begin = this.#openIn(folded(shadow.text));
    return begin < shadow.text.length ? shadow.place(begin) : Infinity;
  }

  #openIn(lower: string): number {
    const first = Math.max(0, lower.length - this.#longest + 1);
    for (let at = first; at < lower.length; at++) {
      if (at + BEGIN <= lower.length && this.#table[hashAt(lower, at)] === 0) continue;
      if (this.#isBegin(lower.slice(at))) return at;
    }
    return lower.length;
  }

  #isBegin(text: string): boolean {
    let [least, most] = [0, this.#forms.length];
    while (least < most) {
      const middle = (least + most) >> 1;
      if ((this.#forms[middle]?.text ?? "") < text) least = middle + 1;
      else most = middle;
    }
    // The first that is not before it may be the text itself, which is no beginning any more.
    for (let at = least; at < this.#forms.length; at++) {
      const form = this.#forms[at]?.text ?? "";
      if (!form.startsWith(text)) return false;
      if (form.length > text.length) return true;
    }
    return false;
  }
}

/** Characters at the end that may belong to what nobody sees, once more comes. */
const unfinished = (text: string): number => UNFINISHED.exec(text.slice(-LONGEST_SEQUENCE))?.[0].length ?? 0;

const LONGEST_SEQUENCE = 600;

/** Those that are no part of a mark. */
export const outside = (marks: ReturnType<typeof marksIn>, ranges: readonly Range[]): readonly Range[] =>
  marks.length === 0
    ? ranges
    : ranges.filter(({ from, to }) => !marks.some(([begin, end]) => from < end && begin < to));

/** The text with marks in the place of what was found. */
export function replaced(text: string, ranges: readonly Range[]): string {
  if (ranges.length === 0) return text;
  let [shown, end] = ["", 0];
  for (const { from, to, mark } of ranges) {
    shown += text.slice(end, from) + mark;
    end = to;
  }
  return shown + text.slice(end);
}

/**
 * The same for a text that comes in pieces. Only an end that may be the beginning of a secret waits for what comes next,
 * and what is shown does not depend on where the text was cut.
 */
export class KnownStream {
  readonly #known: KnownValues;
  #held = "";

  constructor(known: KnownValues) {
    this.#known = known;
  }

  /** What can be shown now. */
  pass(piece: string): string {
    if (this.#known.none) return piece;
    const text = this.#held + piece;
    const ranges = this.#known.find(text);
    let open = this.#known.open(text);
    const across = ranges.find(({ from, to }) => from < open && open < to);
    if (across !== undefined) open = across.from;
    this.#held = text.slice(open);
    return replaced(
      text.slice(0, open),
      ranges.filter(({ to }) => to <= open),
    );
  }

  /** No more comes. */
  end(): string {
    const rest = this.#held;
    this.#held = "";
    return this.#known.redact(rest);
  }
}

/** No secret is known: what only looks like one may be found. `key`: for the marks. */
export const nothingKnown = (key: MarkKey = [0, 0]): KnownValues => new KnownValues([], key);
