import { isKnown, textsOf } from "./arguments.ts";
import { labelsOf } from "./effects.ts";
import type { Arg } from "./findings.ts";
import { isInterpreter } from "./interpreters.ts";
import type { CommandPlace } from "./options.ts";

/** Options that let a program do more than its rule was given for, whatever the program (security §3.2). */
const WIDENING =
  /^--?(?:[\w-]*(?:force|delete|remove|prune|purge|exec|output|outfile|out-|outdir|config|rcfile|upload|hard|no-verify|eval|require|loader|import|plugin|preload|unsafe|shell|prefix|global|overwrite|clobber|mirror|dangerous|privileged|file|directory|git-dir|work-tree|pack|rules?dir|setup|root)[\w-]*)(?:=|$)|^--(?:yes|all|out)(?:=|$)/i;
/** Short options that every program may be given. */
const PLAIN_OPTION =
  /^(?:-[vqhmns]|-\d+|--(?:verbose|quiet|silent|help|version|json|no-color|color(?:=\w+)?|dry-run|check|staged|cached|short|run|coverage|watch(?:All)?(?:=false)?|bail|ci|only|grep|testNamePattern(?:=.*)?|workspaces?|release|message(?:=.*)?|noEmit))$/;

interface Learnable {
  /** How many words say what it does, by the first of them; undefined: all do. */
  readonly verbs?: ReadonlyMap<string, number>;
  readonly options?: RegExp;
}

const verbs = (one: string, two = ""): ReadonlyMap<string, number> =>
  new Map([
    ...one.split(" ").map((verb): [string, number] => [verb, 1]),
    ...two.split(" ").map((verb): [string, number] => [verb, 2]),
  ]);

/** Programs whose first words say what they do. */
const PROGRAMS: ReadonlyMap<string, Learnable> = new Map<string, Learnable>([
  ["npm", { verbs: verbs("test t start", "run run-script") }],
  ["pnpm", { verbs: verbs("test t start", "run") }],
  ["yarn", { verbs: verbs("test start", "run") }],
  ["cargo", { verbs: verbs("build test check clippy fmt doc bench"), options: /^-(?:p|j|r)$/ }],
  ["go", { verbs: verbs("build test vet fmt"), options: /^-(?:race|run|count(?:=\d+)?|v|short)$/ }],
  ...["make", "gmake", "just", "ninja"].map((name): [string, Learnable] => [name, {}]),
  [
    "git",
    {
      verbs: verbs("add commit switch merge fetch pull push", "stash checkout"),
      options: /^(?:-(?:m|a|am|u|A|b)|--(?:rebase|ff-only|set-upstream))$/,
    },
  ],
  ["node", { verbs: verbs("--test"), options: /^--test$/ }],
]);

/** Nothing about them can be allowed for good. */
const NEVER =
  /^(?:rm|rmdir|unlink|shred|rimraf|trash|srm|dd|chmod|chown|chgrp|chattr|setfacl|kill|pkill|killall|crontab|at|batch|systemctl|service|launchctl|loginctl|schtasks|mount|umount|eval|xargs|find|tee|ssh|scp|sftp|rsync|curl|wget|nc|ncat|netcat|socat|gdb|vi|vim|nvim|nano|emacs|ed|ex|psql|mysql|sqlite3|redis-cli|mongo|mongosh|npx|bunx|uvx|pipx|env)$/;

/** Some built-ins run what stands in the index of a name: `printf -v 'a[$(…)]'`. */
const HOLDS_CODE = /`|\$[({[]/;

interface At {
  readonly place: CommandPlace;
  readonly folder: string;
}

/** The words that "always" would stand for; undefined when nothing of this call can be allowed for good. */
export function learnable(name: string, args: readonly Arg[], at: At): readonly string[] | undefined {
  if (isNever(name, args)) return undefined;
  const texts = textsOf(args);
  const known = PROGRAMS.get(name);
  // Of a program that nobody knows here only the very same words are allowed.
  if (known === undefined && labelsOf(name, args, false).length > 0) return undefined;
  if (texts.some((text) => HOLDS_CODE.test(text) || isWidening(text, known) || leadsOut(text, at))) return undefined;
  return name === "git" && gitWidens(texts) ? undefined : prefixOf(texts, known);
}

function prefixOf(texts: readonly string[], known: Learnable | undefined): readonly string[] | undefined {
  const { verbs: counts } = known ?? {};
  if (counts === undefined) return texts;
  const count = counts.get(texts[0] ?? "");
  return count === undefined ? undefined : texts.slice(0, count);
}

const isNever = (name: string, args: readonly Arg[]): boolean =>
  name.includes("/") || (isInterpreter(name) && !runsTests(name, args)) || NEVER.test(name) || !isKnown(args);

/** What it runs are the tests of the project, as `npm test` does. */
const runsTests = (name: string, args: readonly Arg[]): boolean => name === "node" && args[0]?.text === "--test";

/**
 * Another server, or another branch there, which `SOURCE:TARGET` may also delete; checks left out (`commit -n`); and of
 * `checkout`, which may throw changes away, all but a new branch.
 */
function gitWidens([verb = "", ...rest]: readonly string[]): boolean {
  if (/^(?:push|pull|fetch)$/.test(verb)) return rest.some((text) => text.includes(":"));
  if (verb === "checkout") return rest[0] !== "-b";
  return verb === "commit" && rest.some((text) => /^-\w*n/.test(text));
}

/** A plain word is a path too: a link of that name may lead anywhere. */
const leadsOut = (text: string, { place, folder }: At): boolean =>
  !text.startsWith("-") && !/\s/.test(text) && place.whyNotWrite(text, folder) !== undefined;

const isWidening = (text: string, known: Learnable | undefined): boolean => {
  if (/^\+./.test(text) || /^[A-Za-z_]\w*=/.test(text) || /^(?:drop|clear|prune|delete|purge)$/.test(text)) return true;
  if (!text.startsWith("-") || text === "--") return false;
  return WIDENING.test(text) || !(PLAIN_OPTION.test(text) || known?.options?.test(text) === true);
};
