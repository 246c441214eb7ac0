import type { Argument, Command, Option } from "commander";

/** What is asked of the program while somebody types: names that only it knows. */
export const NAMED = [
  "sessions",
  "turns",
  "approvals",
  "models",
  "providers",
  "profiles",
  "keys",
  "topics",
  "skills",
  "tools",
  "notes",
  "versions",
] as const;
export type Named = (typeof NAMED)[number];

/** What a word may be: one of a few, a name the program knows, a path, or anything. */
export type Takes =
  | { readonly type: "choice"; readonly of: readonly string[] }
  | { readonly type: "named"; readonly kind: Named }
  | { readonly type: "files" }
  | { readonly type: "folders" }
  | { readonly type: "anything" };

export interface OptionShape {
  /** As they are written, such as `-f` and `--file`. */
  readonly flags: readonly string[];
  readonly about: string;
  /** Of the word behind it; absent where there is none. */
  readonly takes?: Takes;
}

/** One command, with what may stand behind it. */
export interface Place {
  /** Its words, such as `session list`; empty for the program itself. */
  readonly path: string;
  readonly about: string;
  readonly options: readonly OptionShape[];
  /** Of its first argument. */
  readonly takes: Takes;
}

const ANYTHING: Takes = { type: "anything" };

const named = (kind: Named): Takes => ({ type: "named", kind });

const BY_FLAG: Readonly<Record<string, Takes>> = {
  "--model": named("models"),
  "--provider": named("providers"),
  "--profile": named("profiles"),
  "--idempotency-key": ANYTHING,
};

const BY_NAME: Readonly<Record<string, Takes>> = {
  session: named("sessions"),
  turn: named("turns"),
  id: named("approvals"),
  model: named("models"),
  provider: named("providers"),
  key: named("keys"),
  topic: named("topics"),
  skill: named("skills"),
  tool: named("tools"),
  note: named("notes"),
  version: named("versions"),
  file: { type: "files" },
  folder: { type: "folders" },
};

/** Every command of the program, groups before what they hold. */
export function placesOf(root: Command): Place[] {
  const below = (command: Command, path: string): Place[] => [
    {
      path,
      about: command.description(),
      options: [...command.options.filter(({ hidden }) => !hidden).map(optionShape), HELP],
      takes: argumentTakes(command.registeredArguments[0]),
    },
    ...command.commands.flatMap((inner) => below(inner, `${path} ${inner.name()}`.trim())),
  ];
  return below(root, "");
}

const HELP: OptionShape = { flags: ["-h", "--help"], about: "what can be written here" };

function optionShape(option: Option): OptionShape {
  const flags = [option.short, option.long].filter((flag) => flag !== undefined && flag !== null);
  const shape = { flags, about: option.description };
  return option.required || option.optional ? { ...shape, takes: optionTakes(option) } : shape;
}

function optionTakes({ long, flags, argChoices }: Option): Takes {
  if (argChoices !== undefined) return { type: "choice", of: argChoices };
  const [, name = ""] = /[<[]([\w-]+)/u.exec(flags) ?? [];
  return BY_FLAG[long ?? ""] ?? BY_NAME[name] ?? ANYTHING;
}

function argumentTakes(argument: Argument | undefined): Takes {
  if (argument?.argChoices !== undefined) return { type: "choice", of: argument.argChoices };
  return BY_NAME[argument?.name() ?? ""] ?? ANYTHING;
}

/** The commands right below a place. */
export const below = (places: readonly Place[], path: string): Place[] =>
  places.filter((place) => place.path !== "" && place.path.split(" ").slice(0, -1).join(" ") === path);
