import type { OptionShape, Place, Takes } from "./tree.ts";

/** Patterns of a shell's `case`, one after the other. */
export const patternsOf = (
  places: readonly Place[],
  of: (path: string, option: OptionShape) => readonly string[],
): string =>
  places
    .flatMap(({ path, options }) => options.flatMap((option) => of(path, option)))
    .map((pattern) => `"${pattern}"`)
    .join("|");

/** What is offered behind options, each with the patterns `place:option` it holds for. */
export function groupedOptions(places: readonly Place[]): (readonly [Takes, string])[] {
  const groups = new Map<string, { readonly takes: Takes; readonly patterns: string[] }>();
  for (const { path, options } of places)
    for (const { flags, takes } of options) {
      if (takes === undefined) continue;
      const key = JSON.stringify(takes);
      const group = groups.get(key) ?? { takes, patterns: [] };
      group.patterns.push(...flags.map((flag) => `"${path}:${flag}"`));
      groups.set(key, group);
    }
  return [...groups.values()].map(({ takes, patterns }) => [takes, patterns.join("|")] as const);
}

/** The function of the script that offers this; bash and zsh have the same ones. */
export function commandOf(takes: Takes): string {
  switch (takes.type) {
    case "choice":
      return `_evander_words ${takes.of.join(" ")}`;
    case "named":
      return `_evander_named ${takes.kind}`;
    case "files":
      return "_evander_files -f";
    case "folders":
      return "_evander_files -d";
    case "anything":
      return ":";
  }
}
