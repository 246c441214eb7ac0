import { createHash } from "node:crypto";
import type { Plan, PlanPart, Verdict } from "../../protocol/approval.ts";
import { noFindings, type Finding, type Findings } from "./findings.ts";
import { normalise } from "./normalise.ts";
import type { CommandPlace } from "./options.ts";
import { remembering } from "./remembering.ts";
import { shownLines } from "./shown.ts";
import { walkCommand } from "./walk.ts";

/** Changes whenever the same command may be judged otherwise: no yes outlives it. */
const POLICY_VERSION = 3;

/** What every command sees (security §3.1 C5): that it differs from one process to the next makes no other plan. */
const USUAL =
  /^(?:PATH|HOME|LANG|LANGUAGE|LC_\w+|TERM|TMPDIR|USER|LOGNAME|SHELL|TZ|NO_COLOR|PAGER|GIT_(?:CONFIG_(?:COUNT|KEY_\d+|VALUE_\d+)|TERMINAL_PROMPT|OPTIONAL_LOCKS|PAGER)|XDG_\w+)$/;

export interface PlannedCommand {
  readonly verdict: Verdict;
  /** What runs, byte by byte. */
  readonly runs: string;
  /** Words and targets that look like paths beyond the folder, in order. */
  readonly reaches: readonly string[];
  /** A program of it is known to reach the network. */
  readonly isOutward: boolean;
}

type Environment = Readonly<Record<string, string>>;

/**
 * Judges a command, and says what exactly would run: judged = shown = executed (security §3.1). It runs unasked when it is
 * known to only read what may be read; of its parts the strictest counts. Pure as far as `place` is; the same command at the
 * same place has the same digest. `env` is what it gets to see.
 */
export function planCommand(command: string, place: CommandPlace, env: Environment = {}): PlannedCommand {
  const normal = normalise(command);
  if ("why" in normal)
    return { verdict: { type: "deny", why: normal.why }, runs: command, reaches: [], isOutward: false };
  const runs = normal.text;
  const found = noFindings();
  const outside = place.whyNotRead(place.cwd, place.cwd);
  if (outside !== undefined) found.all.push({ type: "ask", why: outside, words: [] });
  walkCommand(runs, remembering(place), found);
  if (found.labels.has("network") && found.labels.has("code")) found.labels.add("downloaded code");
  const isOutward = found.labels.has("network");
  return { verdict: verdictOf(found, { runs, place, env }), runs, reaches: reachesOf(found), isOutward };
}

/** Characters: no path is longer (security §3.4), and looking for one in longer words takes time. */
const LONGEST_PATH = 4_096;
const BEYOND = /(?:^|=)(~?\/.*|\.\.|\.\.\/.*|.*\/\.\.(?:\/.*)?)$/s;

function reachesOf({ calls, writes }: Findings): string[] {
  const given = [...calls.flatMap((words) => words.slice(1)), ...writes];
  const short = given.filter(({ length }) => length <= LONGEST_PATH);
  return short.flatMap((word) => BEYOND.exec(word)?.[1] ?? []).filter((path) => !path.startsWith("/dev/"));
}

interface Around {
  readonly runs: string;
  readonly place: CommandPlace;
  readonly env: Environment;
}

function verdictOf(found: Findings, around: Around): Verdict {
  const denied = found.all.find(({ type }) => type === "deny");
  if (denied !== undefined) return { type: "deny", why: denied.why };
  const [first] = found.all;
  return first === undefined ? { type: "auto" } : { type: "ask", why: first.why, plan: planOf(found, around) };
}

const planOf = (found: Findings, around: Around): Plan => ({
  digest: digestOf(found, around),
  shown: shownLines(found, around.place),
  parts: found.all.map((finding) => partOf(finding, found, around.place)),
});

/** Nothing is learned from a command that runs what it has just fetched, or as somebody else. */
function partOf({ why, words, learn }: Finding, { labels }: Findings, place: CommandPlace): PlanPart {
  const known = words.slice(1);
  const never = labels.has("downloaded code") || labels.has("privilege") || labels.has("container");
  if (learn === undefined || never) return { why, words: known };
  const { program, prefix } = learn;
  const shared = { tool: "terminal", folder: place.cwd };
  if (program === undefined) return { why, words, grant: { ...shared, prefix } };
  return { why, words: known, grant: { ...shared, program, prefix } };
}

/** Of everything that a yes is given to; whatever of it changes makes it another. */
function digestOf({ programs, calls }: Findings, { runs, place, env }: Around): string {
  const bound = [
    POLICY_VERSION,
    runs,
    [...programs].map(([name, program]) => [name, program?.path, program?.hash]),
    calls,
    place.cwd,
    Object.entries(env)
      .filter(([name]) => !USUAL.test(name))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    // No command is given any input.
    "",
  ];
  return createHash("sha256").update(JSON.stringify(bound)).digest("hex");
}
