import { below, type Place } from "./tree.ts";
import { commandOf, commandPatterns, optionBranches, optionPatterns } from "./tables.ts";

/** The script for bash: tables of all words, and the program itself asked for names that only it knows. */
export const bashScript = (places: readonly Place[]): string => `# Completion of evander for bash.
_evander_offer() {
  local line
  while IFS= read -r line; do
    line=\${line%%$'\\t'*}
    [[ $line == "\${cur//\\\\/}"* ]] || continue
    printf -v line %q "$line"
    COMPREPLY+=("\${line#"$before"}")
  done
}
_evander_words() { _evander_offer < <(printf '%s\\n' "$@"); }
_evander_named() { _evander_offer < <("\${COMP_WORDS[0]}" __complete "$1" 2>/dev/null); }
_evander_files() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen "$1" -- "$cur"); }
_evander() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev place= word at from=$COMP_CWORD before
  COMPREPLY=()
  # bash takes = and : for ends of words; names of models have the second in them.
  while ((from > 1)) && [[ \${COMP_WORDS[from]} == : || \${COMP_WORDS[from-1]} == : ]]; do
    ((from--))
    cur=\${COMP_WORDS[from]}$cur
  done
  before=\${cur%"\${cur##*:}"}
  prev=\${COMP_WORDS[from-1]}
  if [[ $cur == = ]]; then cur=
  elif [[ $prev == = ]]; then prev=\${COMP_WORDS[from-2]}
  fi
  for ((at = 1; at < from; at++)); do
    word=\${COMP_WORDS[at]}
    case "$place:$word" in
      ${optionPatterns(places)})
        [[ \${COMP_WORDS[at+1]} == = ]] && ((at++))
        ((at++)) ;;
      *) case "\${place:+$place }$word" in
        ${commandPatterns(places)}) place="\${place:+$place }$word" ;;
      esac ;;
    esac
  done
  case "$place:$prev" in
${optionBranches(places)}
  esac
  if [[ $cur == -* ]]; then
    case "$place" in
${places.map(({ path, options }) => `      "${path}") _evander_words ${options.flatMap(({ flags }) => flags).join(" ")} ;;`).join("\n")}
    esac
    return
  fi
  case "$place" in
${places.map((place) => `    "${place.path}") ${nextWords(places, place)} ;;`).join("\n")}
  esac
}
complete -F _evander evander
`;

function nextWords(places: readonly Place[], place: Place): string {
  const inner = below(places, place.path).map(({ path }) => path.split(" ").at(-1));
  const words = inner.length === 0 ? [] : [`_evander_words ${inner.join(" ")}`];
  return [...words, ...(place.takes.type === "anything" ? [] : [commandOf(place.takes)])].join("; ") || ":";
}
