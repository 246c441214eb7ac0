import type { Place, Takes } from "./tree.ts";

/** Patterns of a shell's `case` for the options behind which a value stands, as `place:option`. */
export const optionPatterns = (places: readonly Place[]): string =>
  places
    .flatMap(({ path, options }) =>
      options.flatMap(({ flags, takes }) => (takes === undefined ? [] : flags.map((flag) => `"${path}:${flag}"`))),
    )
    .join("|");

/** The same for the commands. */
export const commandPatterns = (places: readonly Place[]): string =>
  places.flatMap(({ path }) => (path === "" ? [] : [`"${path}"`])).join("|");

/** The branches of a shell's `case` that offer what stands behind options. */
export const optionBranches = (places: readonly Place[]): string =>
  groupedOptions(places)
    .map(([takes, patterns]) => `    ${patterns}) ${commandOf(takes)}; return ;;`)
    .join("\n");

/** What is offered behind options, each with the patterns `place:option` it holds for. */
function groupedOptions(places: readonly Place[]): (readonly [Takes, string])[] {
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
