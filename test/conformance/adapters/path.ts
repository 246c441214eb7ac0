import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Tool, ToolContext } from "../../../src/protocol/tool.ts";
import { patchTool } from "../../../src/tools/files/patch/patch.ts";
import { readFileTool } from "../../../src/tools/files/read-file.ts";
import { searchFilesTool } from "../../../src/tools/files/search-files.ts";
import { writeFileTool } from "../../../src/tools/files/write-file.ts";
import type { Place } from "../../../src/tools/paths.ts";
import { whyNoPath } from "../../../src/tools/path-guard/path-text.ts";
import { isObject, type Json } from "../case-file.ts";
import { listOf, objectOf, textOf } from "../input.ts";

// The tree that the recorded cases speak of, below a folder of its own.
const FOLDERS =
  "ws/src ws/config ws/certs ws/..hidden ws/.git/hooks ws/swap other ws-secret ro-root .ssh .agent .aws .config/gcloud .config/gh .docker .kube .claude";
const FILES = [
  "ws/README.md ws/src/a.ts ws/..hidden/x ws/a...b ws/.env ws/.env.local ws/.env.example ws/config/service-account.json",
  "ws/certs/server.key ws/.git/config other/secret.txt ws-secret/k.txt notes.txt .ssh/id_ed25519 .agent/config.yaml",
  ".agent/secrets.json ro-root/doc.txt .aws/credentials .config/gcloud/application_default_credentials.json",
  ".config/gh/hosts.yml .docker/config.json .kube/config .claude/.credentials.json .netrc .bashrc",
].join(" ");
const LINKS: Readonly<Record<string, string>> = {
  "ws/link-in": "README.md",
  "ws/link-out": "HOME/other/secret.txt",
  "ws/dirlink-out": "HOME/other",
  "ws/link-chain": "link-out",
  "ws/link-rel-out": "../other/secret.txt",
  "ws/link-loop": "link-loop",
  "ws/link-dangling": "HOME/other/none.txt",
  "ws/state-link": "HOME/.agent",
};

/**
 * What nobody can agree to does not happen: that it is asked about or refused is one and the same here. That there is no
 * such file says neither.
 */
const HELD = { allowed: false, held: true };
const ALLOWED = { allowed: true, held: false };
const NOT_THERE = { allowed: true, held: true };

export function pathExpectation(expect: Json): Json {
  if (expect === "allow") return { allowed: true };
  return expect === "ask" || expect === "block" ? { held: true } : expect;
}

export const pathUnsupported = (input: Json): string | undefined => {
  const { op, tree, role } = objectOf(input, "input");
  const isOthers = role !== undefined && role !== "owner";
  if (isOthers && op !== "read" && op !== "list") return "needs people who are not the owner, a later part";
  // Nobody but root mounts anything: where Linux always has another disk inside a folder, that one is taken.
  return tree === "T1-mount" && !fs.existsSync("/dev/shm") ? "needs another disk inside a folder" : undefined;
};

/** Works with one path as a model would, where nobody is there to be asked. */
export async function pathCase(input: Json): Promise<unknown> {
  const { op, path, tree, race } = objectOf(input, "input");
  const home = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "evander-paths-")));
  const shared = tree === "T1-mount" ? fs.mkdtempSync("/dev/shm/evander-") : undefined;
  try {
    build(home);
    // A moment of the race; that no moment lets anything through is shown by `npm run show -- path-races`.
    if (race !== undefined) exchange(join(home, "ws", "swap"), join(home, "other"));
    const text = longText(path).replaceAll("/home/u", home);
    if (tree === "T1-win" && whyNoPath(text, "win32") !== undefined) return HELD;
    if (shared === undefined) return await attempt(textOf(op, "op"), text, placeIn(home));
    fs.writeFileSync(join(shared, "secret.txt"), "CANARY");
    return await attempt(textOf(op, "op"), `${shared.slice("/dev/".length)}/secret.txt`, {
      ...placeIn(home),
      cwd: "/dev",
    });
  } finally {
    for (const folder of [home, shared]) if (folder !== undefined) fs.rmSync(folder, { recursive: true, force: true });
  }
}

const placeIn = (home: string): Place => ({
  cwd: join(home, "ws"),
  home,
  guarded: [join(home, ".agent")],
  roots: [{ path: join(home, "ro-root"), access: "read" }],
});

/** A text, or `{concat: [text, {repeat: [text, times]}, …]}`. */
function longText(value: Json | undefined): string {
  if (typeof value === "string") return value;
  const parts = listOf(objectOf(value, "path")["concat"], "concat");
  return parts
    .map((part) => {
      if (!isObject(part)) return textOf(part, "part");
      const [unit, times] = listOf(part["repeat"], "repeat");
      return textOf(unit, "unit").repeat(Number(times));
    })
    .join("");
}

function build(home: string): void {
  for (const folder of FOLDERS.split(" ")) fs.mkdirSync(join(home, folder), { recursive: true });
  for (const file of FILES.split(" ")) fs.writeFileSync(join(home, file), "CANARY");
  for (const [name, to] of Object.entries(LINKS)) fs.symlinkSync(to.replace("HOME", home), join(home, name));
  execFileSync("mkfifo", [join(home, "ws/fifo")]);
  fs.linkSync(join(home, "other/secret.txt"), join(home, "ws/hardlink-out"));
}

function exchange(folder: string, link: string): void {
  fs.rmdirSync(folder);
  fs.symlinkSync(link, folder);
}

const TOOLS: Readonly<Record<string, (place: Place) => Tool>> = {
  read: readFileTool,
  // The one reader of pictures.
  media: readFileTool,
  list: (place) => searchFilesTool(place),
  search: (place) => searchFilesTool(place),
  write: writeFileTool,
  delete: patchTool,
};

function inputOf(op: string, path: string): Readonly<Record<string, unknown>> {
  if (op === "delete") return { mode: "patch", patch: `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch\n` };
  return { path, ...(op === "write" && { content: "x", overwrite: true }) };
}

async function attempt(op: string, path: string, place: Place): Promise<unknown> {
  const tool = TOOLS[op]?.(place);
  if (tool === undefined) throw new Error(`no tool for ${op}`);
  const input = inputOf(op, path);
  const signal = new AbortController().signal;
  const context: ToolContext = { callId: "c", sessionId: "s", history: [], signal, output: () => {} };
  try {
    if (tool.ask?.(input) !== undefined) return HELD;
    await tool.run(input, context);
    return ALLOWED;
  } catch (error) {
    return error instanceof Error && error.message.endsWith(" does not exist.") ? NOT_THERE : HELD;
  }
}
