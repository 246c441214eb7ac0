import { printable } from "../paths.ts";
import type { Findings, Label } from "./findings.ts";
import type { CommandPlace } from "./options.ts";

/** Of what would be deleted at most so many are named (security §3.2). */
const MAX_DELETES = 20;
const MAX_WRITES = 20;
const MAX_PROGRAMS = 20;

const SAID: Readonly<Record<Label, string | undefined>> = {
  network: "Uses the network.",
  code: undefined,
  "downloaded code": "Runs downloaded code.",
  privilege: "Raises its privileges.",
  container: "Reaches a container, another root, or the machine around it.",
};

/** For a person, one line each: what would run, and what it is known to do. */
export function shownLines(found: Findings, place: CommandPlace): string[] {
  const lines = [`In ${printable(place.cwd)}`];
  for (const [name, program] of [...found.programs].slice(0, MAX_PROGRAMS)) {
    const where = program === undefined ? "part of the shell, or not found" : printable(program.path);
    const unsure = program?.unsure === undefined ? "" : `; ${program.unsure}`;
    lines.push(`Runs ${printable(name)} (${where}${unsure})`);
  }
  if (found.variables.size > 0) lines.push(`Sets ${printable([...found.variables].join(", "))}`);
  if (found.writes.size > 0) lines.push(`Writes ${listed(found.writes, MAX_WRITES)}`);
  if (found.deletes.size > 0) lines.push(`Deletes ${found.deletes.size}: ${listed(found.deletes, MAX_DELETES)}`);
  for (const label of found.labels) {
    const said = SAID[label];
    if (said !== undefined) lines.push(said);
  }
  return lines;
}

function listed(paths: ReadonlySet<string>, most: number): string {
  const named = [...paths].slice(0, most).map((path) => printable(path === "" ? "(filled in by the shell)" : path));
  return paths.size > most ? `${named.join(", ")} and ${paths.size - most} more` : named.join(", ");
}
