/**
 * Plants bugs in the sources of a copy of this project, one at a time, and runs the properties: each must turn red.
 * It takes minutes, so it is run by hand: `node test/properties/mutants.ts [NAME]`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const decide = "src/turn/decide.ts";
const MUTANTS: readonly Mutant[] = [
  { name: "a sent receipt is steered", file: decide, find: "seq >= state.sentThrough", replace: "seq >= 0" },
  {
    name: "an approval is never asked",
    file: decide,
    find: "inspection.ask !== undefined && !started",
    replace: "false",
  },
  { name: "a denial is forgotten", file: decide, find: 'call.approval === "denied" || ', replace: "" },
  {
    name: "a request begins after a stop",
    file: decide,
    find: "if (stop !== undefined) return end(state, stop);",
    replace: "if (stop !== undefined && state.interruptedBy === undefined) return end(state, stop);",
  },
  {
    name: "calls begin after a stop",
    file: decide,
    find: "const stopped = exitOfStop(state) !== undefined;",
    replace: "const stopped = false;",
  },
  { name: "an effect is run again", file: decide, find: 'call.inspection.effect === "effect"', replace: "false" },
  {
    name: "the last word may be a receipt",
    file: decide,
    find: 'last?.role !== "assistant"',
    replace: "last === undefined",
  },
  { name: "tools run in the grace call", file: decide, find: "stopped || state.grace", replace: "stopped" },
  {
    name: "a retry retracts nothing",
    file: decide,
    find: "state.attemptOpen ? state.attempt : state.retract",
    replace: "undefined",
  },
  {
    name: "a reply forgets what came before it was cut",
    file: "src/turn/fold-reply.ts",
    find: "text: text + partial.text,",
    replace: "text: partial.text,",
  },
  {
    name: "what is said a second time is shown a second time",
    file: "src/turn/splice.ts",
    find: "if (said.length < this.#before.length && this.#before.startsWith(said)) return [];",
    replace: "",
  },
  {
    name: "a request does not wait for its commit",
    file: "src/turn/run-turn.ts",
    find: "  await log.barrier();\n  const splice",
    replace: "  const splice",
  },
  {
    name: "an effect does not wait for its commit",
    file: "src/turn/perform-tools.ts",
    find: 'if (effect !== "pure") await log.barrier();',
    replace: "",
  },
  {
    name: "an injection is delivered twice",
    file: "src/turn/apply.ts",
    find: "remove(state.injections, (injection) => injection.injectionId === fact.injectionId);",
    replace:
      "if (state.drained > 0) remove(state.injections, (injection) => injection.injectionId === fact.injectionId);",
  },
  {
    name: "a redirect is heard, and its request goes on",
    file: "src/turn/run-turn.ts",
    find: "if (signal.aborted && !log.signal.aborted) return cancelAttempt(reply, log);",
    replace: "",
  },
  {
    name: "the end of the time is not heard",
    file: decide,
    find: 'if (state.timeUp !== undefined) return "time_limit";',
    replace: "",
  },
  {
    name: "what is shown does not wait for its commit",
    file: "src/session/feed.ts",
    find: "if (isFact(event) && left-- === 0) break;",
    replace: "",
  },
  {
    name: "a stop is not kept",
    file: "src/session/lane.ts",
    find: "if (taken) this.stop();\n    return taken && this.kept();",
    replace: "if (taken) this.stop();\n    return taken;",
  },
  {
    name: "what comes after the end is accepted",
    file: "src/session/lane.ts",
    find: "if (!this.unfinished) return false;",
    replace: "",
  },
];

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
const copy = mkdtempSync(join(tmpdir(), "evander-mutants-"));
const wanted = MUTANTS.filter(({ name }) => process.argv[2] === undefined || name === process.argv[2]);
let survivors = 0;
try {
  for (const part of ["src", "test/support", "test/properties", "package.json", "tsconfig.json", "vitest.config.ts"])
    cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  if (await isRed()) throw new Error("The properties are red without a planted bug: that shows nothing.");
  for (const mutant of wanted) {
    const caught = await isCaught(mutant);
    if (!caught) survivors++;
    console.log(`${caught ? "caught  " : "SURVIVED"}  ${mutant.name}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.exitCode = survivors === 0 ? 0 : 1;

async function isCaught({ file, find, replace }: Mutant): Promise<boolean> {
  const path = join(copy, file);
  const source = readFileSync(path, "utf8");
  if (source.split(find).length !== 2) throw new Error(`${file} does not hold once: ${find}`);
  writeFileSync(path, source.replace(find, replace));
  const red = await isRed();
  writeFileSync(path, source);
  return red;
}

async function isRed(): Promise<boolean> {
  const vitest = join(copy, "node_modules/vitest/vitest.mjs");
  const child = spawn(
    process.execPath,
    [vitest, "run", "--project", "unit", "test/properties/turn.test.ts", "test/properties/races.test.ts"],
    {
      cwd: copy,
      env: { ...process.env, RUNS: "60", SHRINK: "0", RACES: "200" },
      stdio: "ignore",
      // A turn that never ends is caught too.
      timeout: 120_000,
    },
  );
  const [code] = (await once(child, "close")) as [number | null];
  return code !== 0;
}
