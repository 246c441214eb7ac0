/** A source of choices that is the same for the same seed. */
interface Dice {
  readonly below: (count: number) => number;
  readonly pick: <T>(from: readonly [T, ...T[]]) => T;
  readonly chance: (percent: number) => boolean;
}

function dice(seed: number): Dice {
  let state = seed >>> 0 || 1;
  const below = (count: number): number => {
    // xorshift32: good enough to choose by.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % count;
  };
  return {
    below,
    pick: (from) => from[below(from.length)] ?? from[0],
    chance: (percent) => below(100) < percent,
  };
}

type Rule = (dice: Dice, depth: number) => string;

/** Programs that stand for what they are named after: each only notes how it was called. */
export const PROGRAMS: readonly [string, ...string[]] =
  "ls cat grep head tail wc sort uniq cut find diff stat file which du tr basename dirname date seq sed awk rm cp mv touch chmod tee ln dd git curl wget python3 node perl make npm sudo ssh docker tar jq rg less".split(
    " ",
  ) as [string, ...string[]];

const READERS = [
  "ls",
  "cat",
  "grep",
  "head",
  "tail",
  "wc",
  "sort",
  "uniq",
  "cut",
  "find",
  "diff",
  "stat",
  "file",
] as const;
const FILES = ["a.txt", "b.txt", "d", "d/c.txt", "x y", "./a.txt", "-n", "."] as const;
const TEXTS = ["a", "b c", "rm", "ls", "*", "$V", "#", "d/c.txt", "", "-rf", "=", "\u00E9"] as const;

const any =
  (...rules: readonly [Rule, ...Rule[]]): Rule =>
  (dice, depth) =>
    dice.pick(rules)(dice, depth);
const text =
  (...from: readonly [string, ...string[]]): Rule =>
  (dice) =>
    dice.pick(from);
/** A deep text ends: below this, the plain rule is taken. */
const deep =
  (plain: Rule, rule: Rule): Rule =>
  (dice, depth) =>
    depth <= 0 ? plain(dice, 0) : rule(dice, depth - 1);

const single = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
const double = (word: string): string => `"${word.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

const plainFile: Rule = (dice) => {
  const file = dice.pick(FILES);
  return file.includes(" ") ? single(file) : file;
};
const quoted: Rule = (dice) => {
  const word = dice.pick(TEXTS);
  return dice.pick([
    single(word),
    double(word),
    `$'${word.replaceAll("'", "")}'`,
    `${single(word)}""`,
    `a${double(word)}`,
  ]);
};
const substitution: Rule = (dice, depth) => {
  const inner = list(dice, depth);
  return dice.pick([`$(${inner})`, `"$(${inner})"`, `\`${simple(dice, 0).replaceAll("`", "")}\``, `$( ${inner} )`]);
};
const expansion: Rule = any(
  text("$V", '"$V"', "${V}", "${V:-a.txt}", "${V:=b}", "${#V}", "${V/a/b}", "${V%.txt}", "${!V}", "$1", "$@", '"$@"'),
  text(
    "$?",
    "$$",
    "$#",
    "$-",
    "$HOME",
    "$PWD",
    "${V@P}",
    "${V@Q}",
    "${A[0]}",
    "${A[@]}",
    "$RANDOM",
    "$((1+2))",
    "$[1+1]",
  ),
  (dice, depth) => `\${V:-${deep(plainFile, substitution)(dice, depth)}}`,
  (dice, depth) => `$((A[${deep(text("0"), substitution)(dice, depth)}]))`,
);
const pattern: Rule = text(
  "*",
  "*.txt",
  "?.txt",
  "[ab].txt",
  "d/*",
  "{a,b}.txt",
  "{1..3}",
  "~",
  "~/a",
  "*/",
  "a{,b}",
  "[!a]*",
);
const processed: Rule = (dice, depth) => dice.pick([`<(${list(dice, depth)})`, `>(${list(dice, depth)})`]);

const word: Rule = (dice, depth) => {
  if (dice.chance(60)) return plainFile(dice, depth);
  return any(
    quoted,
    quoted,
    expansion,
    pattern,
    deep(plainFile, substitution),
    deep(plainFile, processed),
  )(dice, depth);
};

const broken = (name: string): string => `${name[0]}\\${name.slice(1)}`;
const programName: Rule = (dice, depth) => {
  if (dice.chance(65)) return dice.pick(READERS);
  const name = dice.pick(PROGRAMS);
  if (dice.chance(55)) return name;
  const hidden: readonly [string, ...string[]] = [
    ...([single(name), double(name), broken(name), `${name}""`, `""${name}`, `$'${name}'`, `${name}\\\n`] as const),
    ...([
      "$V",
      "$P",
      `\${P:-${name}}`,
      `{${name},a.txt}`,
      `\${V:+${name}}`,
      `$(echo ${name})`,
      `\`echo ${name}\``,
    ] as const),
    deep(text(name), substitution)(dice, depth),
  ];
  return dice.pick(hidden);
};

const words = (dice: Dice, depth: number, most: number): string =>
  Array.from({ length: dice.below(most + 1) }, () => word(dice, depth)).join(" ");

const assignment: Rule = (dice, depth) =>
  `${dice.pick(["V", "P", "X", "LC_ALL", "IFS", "PATH", "A[0]", "BASH_ENV", "V+"])}=${any(plainFile, quoted, text("ls", "C", "rm"), deep(text("1"), substitution))(dice, depth)}`;

const redirect: Rule = (dice, depth) => {
  const file = dice.chance(80) ? dice.pick(["out", "/dev/null", "a.txt", "/dev/stderr"] as const) : word(dice, depth);
  const body = dice.chance(50) ? substitution(dice, Math.max(0, depth - 1)) : "a b";
  return dice.pick([
    ...([`> ${file}`, `>> ${file}`, `2>/dev/null`, `2>&1`, `>&2`, `&> ${file}`, `>| ${file}`, `< a.txt`] as const),
    ...([`<<< ${word(dice, depth)}`, `3<> ${file}`, `{fd}> ${file}`, `2> ${file}`, `>/dev/null 2>&1`] as const),
    `<<EOF\n${body}\nEOF\n`,
    `<<'EOF'\n${body}\nEOF\n`,
    `<<-E"O"F\n\t${body}\n\tEOF\n`,
  ]);
};

const builtin: Rule = (dice, depth) => {
  const inner = simple(dice, 0);
  return dice.pick([
    ...([
      "echo a b",
      'echo "$V"',
      "printf '%s\\n' a",
      "cd d",
      "cd ..",
      "cd",
      "pwd",
      "true",
      "false",
      ":",
      "test -f a.txt",
    ] as const),
    ...([
      "[ -d d ]",
      "[[ -n $V ]]",
      "[[ a == a* ]]",
      "(( V + 1 ))",
      "type ls",
      "command -v ls",
      "read X",
      "shift",
      "wait",
    ] as const),
    ...([
      `eval ${single(inner)}`,
      `eval ${inner}`,
      `trap ${single(inner)} EXIT`,
      `set -- ${words(dice, depth, 2)}`,
    ] as const),
    ...([
      `alias ls=${single("rm")}`,
      "hash -p /bin/false ls",
      "enable -n echo",
      "set -x",
      "shopt -s expand_aliases",
    ] as const),
    ...([`printf -v 'A[$(${inner.replaceAll("'", "")})]' x`, `test -v 'A[$(${inner.replaceAll("'", "")})]'`] as const),
    ...([`let 'A[$(${inner.replaceAll("'", "")})]=1'`, `[[ -v 'A[$(${inner.replaceAll("'", "")})]' ]]`] as const),
    ...([
      "mapfile -C rm -c 1 X < a.txt",
      "source ./a.txt",
      ". ./b.txt",
      "declare -n V=P",
      "export V=ls",
      "unset V",
    ] as const),
    ...([
      `PS4='$(rm a)'; set -x; :`,
      "readonly X=1",
      "getopts a X",
      "declare V=$(rm)",
      "local V=1",
      "exec 3>&1",
    ] as const),
  ]);
};

const simple: Rule = (dice, depth) => {
  const plain = `${programName(dice, depth)} ${words(dice, depth, 3)}`.trim();
  const before = dice.chance(8) ? `${assignment(dice, depth)} ` : "";
  const after = dice.chance(14) ? ` ${redirect(dice, depth)}` : "";
  return before + plain + after;
};

const wrapped: Rule = (dice, depth) => {
  const inner = simple(dice, depth);
  return dice.pick([
    ...([
      `env ${inner}`,
      `env X=1 ${inner}`,
      `env -i ${inner}`,
      `env -u X ${inner}`,
      `env -S ${single(inner)}`,
    ] as const),
    ...([
      `nice ${inner}`,
      `nice -n 5 ${inner}`,
      `timeout 5 ${inner}`,
      `timeout -k 1 5 ${inner}`,
      `time ${inner}`,
    ] as const),
    ...([`command ${inner}`, `exec ${inner}`, `exec -a x ${inner}`, `! ${inner}`] as const),
    ...([
      `xargs ${inner}`,
      `echo a b | xargs ${inner}`,
      `echo a | xargs -n 1 ${inner}`,
      `xargs -I{} ${inner}`,
    ] as const),
    ...([
      `sh -c ${single(inner)}`,
      `bash -c ${single(inner)}`,
      `echo ${single(inner)} | sh`,
      `bash <<< ${single(inner)}`,
    ] as const),
    ...([`builtin eval ${single(inner)}`, `stdbuf -oL ${inner}`, `time -p ${inner}`, `env -- ${inner}`] as const),
  ]);
};

const compound: Rule = (dice, depth) => {
  const [a, b] = [list(dice, depth), list(dice, depth)];
  const name = dice.pick(["f", "g", "ls", "cat", "rm"] as const);
  return dice.pick([
    ...([`( ${a} )`, `{ ${a}; }`, `if ${a}; then ${b}; fi`, `if ! ${a}; then :; else ${b}; fi`] as const),
    ...([`for V in ${words(dice, depth, 3)}; do ${a}; done`, `for V in a.txt b.txt; do cat "$V"; done`] as const),
    ...([
      `for ((i=0;i<2;i++)); do ${a}; done`,
      `while ${a}; do ${b}; break; done`,
      `until ${a}; do break; done`,
    ] as const),
    ...([`case $V in a) ${a};; *) ${b};; esac`, `case a.txt in *.txt) ${a};& b) ${b};; esac`] as const),
    ...([`${name}() { echo ${word(dice, 0)}; }; ${name} a`, `function f { ${a}; }; f`, `f() ( ${a} ); f`] as const),
    ...([`[[ $(${a}) == b ]]`, `[[ -f a.txt && $V < b ]]`, `(( V = $(${a}) ))`, `coproc ${simple(dice, 0)}`] as const),
  ]);
};

const command: Rule = (dice, depth) => {
  const roll = dice.below(100);
  if (roll < 62) return simple(dice, depth);
  if (roll < 74) return builtin(dice, depth);
  if (roll < 86) return wrapped(dice, depth);
  return deep(simple, compound)(dice, depth);
};

function list(dice: Dice, depth: number): string {
  const parts = [command(dice, depth)];
  while (dice.chance(28)) {
    const last = parts.at(-1) ?? "";
    // What ends with a text for it has its line break already.
    const between = last.endsWith("\n")
      ? ""
      : dice.pick(["; ", " && ", " || ", " | ", "\n", " |& ", " # x\n", " \\\n&& "]);
    parts.push(between + command(dice, depth));
  }
  return parts.join("");
}

/** One command line. */
export const shellCommand = (seed: number): string => {
  const source = dice(Math.imul(seed + 1, 0x9e37_79b1));
  return list(source, 2);
};

const SHREDS =
  "( ) { } [[ ]] (( )) $ $( ${ ` ' \" \\ \n ; ;; ;& & && | || |& < > << <<- <<< >& &> # ! ~ * ? [ ] = += a ls rm -rf if then else elif fi for in do done while case esac function select coproc time EOF $'' $\"\" {a,b} \t \u00E9 \u{1F600} 1 0x10 :- @Q".split(
    " ",
  ) as [string, ...string[]];

/** Something that a shell may or may not read. */
export const shellNoise = (seed: number): string => {
  const source = dice(Math.imul(seed + 1, 0x85eb_ca6b));
  return Array.from({ length: 1 + source.below(24) }, () => source.pick(SHREDS) + (source.chance(40) ? " " : "")).join(
    "",
  );
};
