import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Verdict } from "../../src/protocol/approval.ts";
import { commandPlace } from "../../src/tools/command-policy/place.ts";
import { planCommand } from "../../src/tools/command-policy/plan-command.ts";
import { everydayProject } from "./everyday-project.ts";

export interface PolicyLab {
  readonly cwd: string;
  /** What is made of a command that is written for the home `/home/u`. */
  verdict(command: string): Verdict;
}

/** A home with a project in it, a folder of the program itself, and what is nobody's business beside it. */
export function policyLab(base: string): PolicyLab {
  const home = join(base, "home");
  const cwd = join(home, "ws");
  for (const folder of ["ws", ".agent", "other"]) mkdirSync(join(home, folder), { recursive: true });
  for (const file of [".agent/keys.json", ".agent/config.toml", "other/secret.txt", "notes.txt"])
    writeFileSync(join(home, file), "CANARY\n");
  everydayProject(cwd);
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, LANG: "C.UTF-8" };
  const place = { cwd, home, guarded: [join(home, ".agent")] };
  return {
    cwd,
    verdict: (command) => planCommand(command.replaceAll("/home/u", home), commandPlace(place, cwd, env), env).verdict,
  };
}

/** What an attack wants to find there. */
export function addSecrets({ cwd }: PolicyLab): void {
  for (const file of [".env", ".env.local", "a.txt", "list.txt", "x"]) writeFileSync(join(cwd, file), "KEY=CANARY\n");
}

export interface Attack {
  readonly least: "ask" | "deny";
  readonly command: string;
}

/** Commands that never run unasked, with what at least becomes of them. */
export function attacks(): Attack[] {
  const found: Attack[] = [];
  let least: Attack["least"] = "deny";
  for (const line of readFileSync(join(import.meta.dirname, "..", "fixtures", "attack-commands.txt"), "utf8").split(
    "\n",
  )) {
    if (line.startsWith("# ")) least = line.startsWith("# ask") ? "ask" : "deny";
    else if (line !== "") found.push({ least, command: line });
  }
  return found;
}
