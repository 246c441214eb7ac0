/** What a cron expression allows: its five fields, spelled out. */
export interface CronFields {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /** Both days are restricted: one of them is enough (nanobot §17.1). */
  readonly eitherDay: boolean;
  readonly everyHour: boolean;
}

interface Field {
  readonly least: number;
  readonly most: number;
  /** Names of its values, the first for `least`. */
  readonly names?: readonly string[];
}

const FIELDS: readonly Field[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: "jan feb mar apr may jun jul aug sep oct nov dec".split(" ") },
  { least: 0, most: 7, names: "sun mon tue wed thu fri sat".split(" ") },
];

/** Characters: no expression of a person is longer. */
const LONGEST = 200;

/** Undefined: it is none. */
export function readCron(expression: string): CronFields | undefined {
  const texts = expression.trim().toLowerCase().split(/\s+/u);
  if (texts.length !== FIELDS.length || expression.length > LONGEST) return undefined;
  const [minutes, hours, days, months, weekdays] = FIELDS.map((field, at) => valuesOf(texts[at] ?? "", field));
  if (!minutes || !hours || !days || !months || !weekdays) return undefined;
  const [, hour = "", day = "", , weekday = ""] = texts;
  return {
    minutes,
    hours,
    days,
    months,
    weekdays: new Set([...weekdays].map((value) => value % 7)),
    eitherDay: !day.startsWith("*") && !weekday.startsWith("*"),
    everyHour: hour === "*",
  };
}

function valuesOf(text: string, field: Field): ReadonlySet<number> | undefined {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const range = rangeOf(part, field);
    if (range === undefined) return undefined;
    for (let value = range.from; value <= range.to; value += range.step) values.add(value);
  }
  return values;
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/** `*`, `5`, `1-5`, each also with a step: of `5/10` to the end. */
function rangeOf(part: string, field: Field): Range | undefined {
  const [, body = "", step] = /^([^/]+)(?:\/(\d{1,2}))?$/u.exec(part) ?? [];
  const span = spanOf(body, field);
  const by = Number(step ?? 1);
  if (span === undefined || by < 1) return undefined;
  const isOpen = step !== undefined && !body.includes("-");
  return { from: span[0], to: isOpen ? field.most : span[1], step: by };
}

function spanOf(body: string, field: Field): readonly [number, number] | undefined {
  if (body === "*") return [field.least, field.most];
  const [first = "", second = first, ...more] = body.split("-");
  const [from, to] = [valueOf(first, field), valueOf(second, field)];
  return from === undefined || to === undefined || from > to || more.length > 0 ? undefined : [from, to];
}

function valueOf(text: string, { least, most, names = [] }: Field): number | undefined {
  const named = names.indexOf(text);
  if (named >= 0) return least + named;
  const value = /^\d{1,2}$/u.test(text) ? Number(text) : -1;
  return value >= least && value <= most ? value : undefined;
}
