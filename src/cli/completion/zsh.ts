import { commandOf, commandPatterns, optionBranches, optionPatterns } from "./tables.ts";
import { below, type Place } from "./tree.ts";

/** The script for zsh: the same tables as for bash; what commands and options mean is shown beside them. */
export const zshScript = (places: readonly Place[]): string => `#compdef evander
_evander_words() { compadd -- "$@" }
_evander_named() {
  local -a values abouts
  local line tab=$'\\t'
  while IFS= read -r line; do
    values+=("\${line%%$tab*}")
    abouts+=("\${line//$tab/  }")
  done < <("\${words[1]}" __complete "$1" 2>/dev/null)
  compadd -d abouts -- "\${values[@]}"
}
_evander_files() { [[ $1 == -d ]] && _files -/ || _files }
_evander() {
  local prev=\${words[CURRENT-1]} place= word
  local -i at
  if [[ $PREFIX == --*=* ]]; then
    prev=\${PREFIX%%=*}
    compset -P '*='
  fi
  for ((at = 2; at < CURRENT; at++)); do
    word=\${words[at]}
    case "$place:$word" in
      ${optionPatterns(places)}) ((at++)) ;;
      *) case "\${place:+$place }$word" in
        ${commandPatterns(places)}) place="\${place:+$place }$word" ;;
      esac ;;
    esac
  done
  case "$place:$prev" in
${optionBranches(places)}
  esac
  local -a entries
  case "$place" in
${places.map((place) => `    "${place.path}") ${entriesOf(places, place)} ;;`).join("\n")}
  esac
}
if [[ $funcstack[1] == _evander ]]; then _evander "$@"; else compdef _evander evander; fi
`;

function entriesOf(places: readonly Place[], { path, options, takes }: Place): string {
  const inner = below(places, path).map((place) => described(place.path.split(" ").at(-1) ?? "", place.about));
  const flags = options.flatMap((option) => option.flags.map((flag) => described(flag, option.about)));
  const words = inner.length === 0 ? "" : `entries=(${inner.join(" ")}); _describe command entries; `;
  const own = takes.type === "anything" ? "" : `${commandOf(takes)}; `;
  return `${words}${own}entries=(${flags.join(" ")}); [[ $PREFIX == -* ]] && _describe -o option entries`;
}

const described = (word: string, about: string): string =>
  `'${`${word}:${about.replaceAll(":", String.raw`\:`)}`.replaceAll("'", String.raw`'\''`)}'`;
