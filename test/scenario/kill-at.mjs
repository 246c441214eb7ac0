/**
 * Kills this process, as `kill -9` does, just before or just after the commit that holds a given fact, or the file of a
 * background process is put in its place. Loaded in front of the built program with `--import`; the program itself knows
 * nothing of it.
 *
 * KILL_AT is `before-commit:TYPE` or `after-commit:TYPE`, with `#N` for the N-th fact of that type in this process; the
 * type `any` is every fact. It is `before-handle:write#N` or `after-handle:write#N` for the N-th such file.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, dirname } from "node:path";
import { StatementSync } from "node:sqlite";

const [, when, what, type, count = "1"] =
  /^(before|after)-(commit|handle):([a-z-]+)(?:#(\d+))?$/.exec(process.env["KILL_AT"] ?? "") ?? [];
if (when === undefined) throw new Error(`KILL_AT is "${process.env["KILL_AT"]}"`);

const rename = fs.renameSync;
let handles = 0;

fs.renameSync = (from, to) => {
  const isHandle = what === "handle" && basename(dirname(String(to))) === "processes";
  if (isHandle) handles++;
  const due = isHandle && handles === Number(count);
  if (due && when === "before") process.kill(process.pid, "SIGKILL");
  rename(from, to);
  if (due) process.kill(process.pid, "SIGKILL");
};
syncBuiltinESMExports();

const run = Reflect.get(StatementSync.prototype, "run");
let seen = 0;

/** @this {StatementSync} */
StatementSync.prototype.run = function (...values) {
  const sql = this.sourceSQL.trim().toLowerCase();
  if (sql.startsWith("insert into journal")) seen += countOf(values);
  const due = what === "commit" && sql === "commit" && seen >= Number(count);
  if (due && when === "before") process.kill(process.pid, "SIGKILL");
  const result = run.apply(this, values);
  if (due) process.kill(process.pid, "SIGKILL");
  return result;
};

/** @param {unknown[]} values */
function countOf(values) {
  const facts = values.find((value) => typeof value === "string" && value.startsWith("["));
  const ofType = (/** @type {{ type: string }} */ fact) => type === "any" || fact.type === type;
  return JSON.parse(String(facts)).filter(ofType).length;
}
