import { parseWords, unknownOption, type Judge } from "./options.ts";
import { program } from "./table.ts";

// Programs that tell of the machine, of themselves, or of what runs.

const VERSION = new Set(["--version", "-v", "-V", "version", "-version"]);

/** What `NAME --version` and its like may be: of these and no others. */
const VERSIONS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...["node", "npm", "pnpm", "yarn", "php", "perl", "ruby"].map((name): [string, readonly string[]] => [
    name,
    ["--version", "-v"],
  ]),
  ...["python", "python3", "pip", "pip3"].map((name): [string, readonly string[]] => [name, ["--version", "-V"]]),
  ...[
    "bash",
    "tsc",
    "gcc",
    "g++",
    "cc",
    "clang",
    "docker",
    "make",
    "cmake",
    "curl",
    "deno",
    "bun",
    "uv",
    "terraform",
  ].map((name): [string, readonly string[]] => [name, ["--version"]]),
  ["java", ["-version", "--version"]],
  ["go", ["version"]],
  ["cargo", ["--version", "-V"]],
  ["rustc", ["--version", "-V"]],
]);

/** Files by which a project says which version of the program runs, which is then fetched or lies in the project. */
const CHOSEN_BY: Readonly<Record<string, readonly string[]>> = {
  cargo: ["rust-toolchain", "rust-toolchain.toml"],
  rustc: ["rust-toolchain", "rust-toolchain.toml"],
  go: ["go.mod", "go.work"],
  // Its packageManager is fetched from the registry that the project names.
  yarn: [".yarnrc.yml", ".yarnrc", "package.json"],
  pnpm: [".pnpmfile.cjs", "package.json"],
};
/** They let a project choose whatever program a starter of versions runs, also one of its own. */
const CHOOSES_ANY = [".tool-versions", "mise.toml", ".mise.toml"];

function versionOnly(name: string, known: readonly string[]): [string, Judge] {
  return [
    name,
    (given, { place, folder }) => {
      const [word = ""] = given;
      if (given.length !== 1 || !VERSION.has(word) || !known.includes(word)) return `${name} runs code.`;
      return place.isAbove([...CHOOSES_ANY, ...(CHOSEN_BY[name] ?? [])], folder)
        ? `The project chooses which ${name} runs.`
        : undefined;
    },
  ];
}

const judgeDate: Judge = (given) => {
  const parsed = parseWords(given, {
    flags: "uIR",
    valued: "d",
    long: "date= utc universal iso-8601? rfc-3339= rfc-email",
  });
  if (typeof parsed === "string") return unknownOption("date", parsed);
  return parsed.operands.every((operand) => operand.startsWith("+")) ? undefined : "date may set the clock.";
};

/**
 * Letters without a dash, or options, but not both, and none that shows the variables of others: where ps does not
 * understand an option it reads all of them as letters, and then `-e` shows those.
 */
const judgeProcesses: Judge = (given) => {
  const isLetters = given.every((word) => /^[aux]+$/.test(word));
  return isLetters || areOptions(given) ? undefined : "ps may show what others' programs were given.";
};

const OPTION = /^(?:-[AadefFjl]+|--forest|--sort=-?%?[a-z]+)$/;
const VALUES: Readonly<Record<string, RegExp>> = { "-o": /^(?!.*environ)[a-z%,:]+$/, "-p": /^\d+$/ };

function areOptions(given: readonly string[]): boolean {
  for (let at = 0; at < given.length; at += 1) {
    const word = given[at] ?? "";
    const value = VALUES[word];
    if (value !== undefined) at += 1;
    if (value === undefined ? !OPTION.test(word) : !value.test(given[at] ?? "")) return false;
  }
  return true;
}

const listsSignals = (name: string, given: readonly string[]): string | undefined =>
  given.length === 1 && given[0] === "-l" ? undefined : `${name} ends what runs.`;

/** Each only tells. */
export const MACHINE: readonly (readonly [string, Judge])[] = [
  program("whoami", "none"),
  program("id", "text", { flags: "gGnruz" }),
  program("groups", "text"),
  program("uname", "none", { flags: "asnrvmpio" }),
  program("arch", "none"),
  program("nproc", "none", { long: "all" }),
  program("uptime", "none", { flags: "ps" }),
  program("hostname", "none", { flags: "fsi" }),
  program("free", "none", { flags: "bkmghtw" }),
  ["date", judgeDate],
  program("cal", "text", { flags: "13jmsy" }),
  program("lscpu", "none", { flags: "e" }),
  program("tty", "none", { flags: "s" }),
  program("locale", "text", { flags: "amck" }),
  program("getconf", "text", { flags: "a" }),
  ["ps", judgeProcesses],
  ...["kill", "killall"].map((name): [string, Judge] => [name, (given) => listsSignals(name, given)]),
  program("pgrep", "text", { flags: "aflnovxci", valued: "uU" }),
  program("whereis", "text", { flags: "bms" }),
  program("lsof", "none", { flags: "nPt", valued: "ip" }),
  program("ss", "none", { flags: "tlnuapxs46" }),
  // A command gets only what the owner lets it have (security §3.1 C5).
  program("env", "none", { flags: "0" }),
  program("printenv", "text", { flags: "0" }),
  ...[...VERSIONS].map(([name, known]) => versionOnly(name, known)),
];
