/**
 * Kills this process, as `kill -9` does, just before or just after a named point. Loaded in front of the built program with
 * `--import`; the program itself knows nothing of it.
 *
 * KILL_AT is one of:
 * - `before-commit:TYPE` or `after-commit:TYPE`: the commit that holds a fact of that type; `#N` means the N-th such fact in
 *   this process, `+N` a commit that holds N of them at once. The type `any` is every fact.
 * - `before-handle:write#N` or `after-handle:write#N`: the N-th file of a background process is put in its place.
 * - `before-sql:TEXT` or `after-sql:TEXT`, also with `#N`: a statement in which these words stand.
 * - `before-close` or `after-close`: the file of the store is let go, and its log with it.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, dirname } from "node:path";
import { DatabaseSync, StatementSync } from "node:sqlite";

const [, when, what, type = "", sign = "#", count = "1"] =
  /^(before|after)-(commit|handle|sql|close)(?::([^#+]+))?(?:([#+])(\d+))?$/.exec(process.env["KILL_AT"] ?? "") ?? [];
if (when === undefined) throw new Error(`KILL_AT is "${process.env["KILL_AT"]}"`);

let seen = 0;

/**
 * @template T
 * @param {boolean} isDue
 * @param {() => T} act
 * @returns {T}
 */
function around(isDue, act) {
  if (isDue && when === "before") process.kill(process.pid, "SIGKILL");
  const result = act();
  if (isDue) process.kill(process.pid, "SIGKILL");
  return result;
}

/** @param {boolean} isOne */
function isNext(isOne) {
  if (isOne) seen++;
  return isOne && seen === Number(count);
}

const rename = fs.renameSync;
fs.renameSync = (from, to) =>
  around(isNext(what === "handle" && basename(dirname(String(to))) === "processes"), () => rename(from, to));
syncBuiltinESMExports();

/** @param {string} sql */
const isNamed = (sql) => what === "sql" && sql.toLowerCase().includes(type);

for (const name of /** @type {const} */ (["run", "get"])) {
  const act = Reflect.get(StatementSync.prototype, name);
  /** @this {StatementSync} */
  StatementSync.prototype[name] = function (/** @type {unknown[]} */ ...values) {
    return around(isNext(isNamed(this.sourceSQL)) || isCommit(this.sourceSQL, values), () => act.apply(this, values));
  };
}

const exec = Reflect.get(DatabaseSync.prototype, "exec");
/** @this {DatabaseSync} */
DatabaseSync.prototype.exec = function (sql) {
  return around(isNext(isNamed(sql)), () => exec.call(this, sql));
};

const close = Reflect.get(DatabaseSync.prototype, "close");
/** @this {DatabaseSync} */
DatabaseSync.prototype.close = function () {
  return around(what === "close", () => close.call(this));
};

/** Of the commit that goes on. */
let inThis = 0;

/**
 * @param {string} text
 * @param {unknown[]} values
 */
function isCommit(text, values) {
  if (what !== "commit") return false;
  const sql = text.trim().toLowerCase();
  if (sql === "begin immediate") inThis = 0;
  if (sql.startsWith("insert into journal")) inThis += countOf(values);
  if (sql !== "commit") return false;
  seen += inThis;
  return (sign === "+" ? inThis : seen) >= Number(count);
}

/** @param {unknown[]} values */
function countOf(values) {
  const facts = values.find((value) => typeof value === "string" && value.startsWith("["));
  const ofType = (/** @type {{ type: string }} */ fact) => type === "any" || fact.type === type;
  return JSON.parse(String(facts)).filter(ofType).length;
}
