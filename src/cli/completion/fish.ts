import type { OptionShape, Place, Takes } from "./tree.ts";
import { below } from "./tree.ts";

/** The script for fish: one line for each command and option, with what it means. */
export const fishScript = (places: readonly Place[]): string =>
  [
    "# Completion of evander for fish.",
    "function __evander_at",
    "    set -l place",
    "    for word in (commandline -opc)[2..-1]",
    '        switch (string trim -- "$place $word")',
    `            case ${places.flatMap(({ path }) => (path === "" ? [] : [`'${path}'`])).join(" ")}`,
    '                set place (string trim -- "$place $word")',
    "        end",
    "    end",
    '    test "$place" = "$argv[1]"',
    "end",
    "complete -c evander -f",
    ...places.flatMap((place) => [
      ...below(places, place.path).map(({ path, about }) =>
        line(place, `-a ${quoted(path.split(" ").at(-1) ?? "")} -d ${quoted(about)}`),
      ),
      ...(place.takes.type === "anything" ? [] : [line(place, offered(place.takes))]),
      ...place.options.map((option) => line(place, optionWords(option))),
    ]),
    "",
  ].join("\n");

const line = ({ path }: Place, what: string): string => `complete -c evander -n "__evander_at '${path}'" ${what}`;

function optionWords({ flags, about, takes }: OptionShape): string {
  const names = flags.map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  return [...names, ...(takes === undefined ? [] : ["-r", offered(takes)]), `-d ${quoted(about)}`]
    .filter((word) => word !== "")
    .join(" ");
}

function offered(takes: Takes): string {
  switch (takes.type) {
    case "choice":
      return `-a ${quoted(takes.of.join(" "))}`;
    case "named":
      return `-a '(evander __complete ${takes.kind} 2>/dev/null)'`;
    case "files":
      return "-F";
    case "folders":
      return "-a '(__fish_complete_directories)'";
    case "anything":
      return "";
  }
}

const quoted = (text: string): string => `'${text.replaceAll("\\", String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;
