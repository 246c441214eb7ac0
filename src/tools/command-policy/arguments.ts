import type { Arg } from "./findings.ts";

/** Options and operands of a program whose options are not all known: what is not known counts as one without a value. */
export interface Loose {
  readonly options: readonly { readonly name: string; readonly value?: Arg }[];
  readonly operands: readonly Arg[];
}

/** `valued`: letters and long names that take a value, such as `o target-directory`. */
export function readLoosely(args: readonly Arg[], valued = ""): Loose {
  const takes = new Set(valued.split(" "));
  const options: { name: string; value?: Arg }[] = [];
  const operands: Arg[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at];
    if (arg === undefined) break;
    if (arg.text === "--") {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (!arg.text.startsWith("-") || arg.text === "-") {
      operands.push(arg);
      continue;
    }
    const read = arg.text.startsWith("--") ? longOption(arg, takes) : cluster(arg, takes);
    if (read.needsNext) at += 1;
    const next = args[at];
    options.push(...read.options.slice(0, -1));
    const last = read.options.at(-1);
    if (last !== undefined) options.push(read.needsNext && next !== undefined ? { ...last, value: next } : last);
  }
  return { options, operands };
}

interface ReadOption {
  readonly options: readonly { readonly name: string; readonly value?: Arg }[];
  readonly needsNext: boolean;
}

function longOption(arg: Arg, takes: ReadonlySet<string>): ReadOption {
  const equals = arg.text.indexOf("=");
  const name = arg.text.slice(2, equals === -1 ? undefined : equals);
  if (equals === -1) return { options: [{ name }], needsNext: takes.has(name) };
  return { options: [{ name, value: { ...arg, text: arg.text.slice(equals + 1) } }], needsNext: false };
}

function cluster(arg: Arg, takes: ReadonlySet<string>): ReadOption {
  const options: { name: string; value?: Arg }[] = [];
  for (let at = 1; at < arg.text.length; at += 1) {
    const name = arg.text[at] ?? "";
    if (!takes.has(name)) {
      options.push({ name });
      continue;
    }
    const rest = arg.text.slice(at + 1);
    if (rest !== "") options.push({ name, value: { ...arg, text: rest } });
    else options.push({ name });
    return { options, needsNext: rest === "" };
  }
  return { options, needsNext: false };
}

/** Long names may be shortened: `--recurs`. */
export const hasOption = ({ options }: Loose, ...names: readonly string[]): boolean =>
  options.some(({ name }) =>
    names.some((known) => name === known || (known.length > 2 && name.length > 2 && known.startsWith(name))),
  );

export const valuesOf = ({ options }: Loose, ...names: readonly string[]): Arg[] =>
  options.flatMap(({ name, value }) => (names.includes(name) && value !== undefined ? [value] : []));

export const textsOf = (args: readonly Arg[]): string[] => args.map(({ text }) => text);

export const isKnown = (args: readonly Arg[]): boolean => args.every(({ certain }) => certain === "known");

/** A word of which nothing is left to the shell. */
export const written = (text: string): Arg => ({ text, certain: "known", raw: text });
