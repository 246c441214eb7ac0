import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fakeProvider } from "../support/fake-provider.ts";
import { unmarked } from "../support/marks.ts";
import { callTools, say } from "../support/wire-script.ts";
import { Place } from "./program.ts";

const SECRET = "plainOpaqueValue-77-not-a-prefix";
const CODED = Buffer.from(`x=${SECRET}`).toString("base64");

/** Where copies of files lie, before and after what may have changed them. */
const COPIES = /[/\\](?:checkpoints?|copies)\b/u;

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const run = (id: string, command: string): ReturnType<typeof callTools> =>
  callTools([{ id, name: "terminal", arguments: { command } }]);

/** Runs commands as a model asks for them, everything allowed, while a variable of ours and one that is passed hold secrets. */
async function played(
  commands: readonly string[],
  config = "",
): Promise<{ texts: readonly string[]; told: string; first: string }> {
  const acts = commands.map((command, at) => run(`c${at}`, command));
  await using provider = await fakeProvider([...acts, say(`It is ${SECRET}.`)]);
  const place = new Place();
  try {
    mkdirSync(place.home, { recursive: true });
    writeFileSync(join(place.home, "config.yaml"), `log: { level: debug }\n${config}`);
    const notes = join(place.work, "notes.txt");
    writeFileSync(notes, `${SECRET}\n${CODED}\n`);
    const env = { DEPLOY_TOKEN: SECRET, GITHUB_TOKEN: "ghp_0123456789abcdefghij" };
    const outputs: string[] = [];
    for (const args of [
      ["-p", "hi", "--approve", "all", "--output", "jsonl"],
      ["turn", "show", "--raw", "last"],
      ["logs"],
    ]) {
      const { stdout, stderr } = await place.run(provider.baseUrl, args, { env });
      outputs.push(stdout, stderr);
    }
    // A copy of a file that a command may change is what brings it back, bit by bit.
    const kept = filesBelow(place.folder).filter((path) => path !== notes && !COPIES.test(path));
    const told = provider.requests.map(({ text }) => text).join("\n");
    // What the model was told of the first command.
    return {
      told,
      first: provider.requests[1]?.text ?? "",
      texts: [...outputs, told, ...kept.map((path) => readFileSync(path, "latin1"))],
    };
  } finally {
    place.remove();
  }
}

test("[LEAK-04] [security C5] a command gets no key of ours, and what it reads of one elsewhere is shown and kept nowhere", async () => {
  const { texts, told, first } = await played([
    "env",
    "cat /proc/$PPID/environ | tr '\\0' '\\n'; cat /proc/self/environ | tr '\\0' '\\n'; echo read",
    "cat notes.txt; echo done",
  ]);
  for (const text of texts) for (const secret of [SECRET, CODED, "ghp_0123"]) expect(text).not.toContain(secret);
  expect(unmarked(told)).toMatch(/\*\*\*\\neD1\*\*\*[^"]{0,4}\\ndone/u);
  for (const name of ["GITHUB_TOKEN", "DEPLOY_TOKEN"]) expect(first).not.toContain(name);
});

test("[security C5] the owner passes a variable by name: a command has it, and its value is shown nowhere", async () => {
  const { texts, told } = await played(["echo len ${#GITHUB_TOKEN}; env"], "terminal: { env: [GITHUB_TOKEN] }\n");
  expect(told).toContain("len 24");
  expect(unmarked(told)).toContain("GITHUB_TOKEN=***");
  for (const text of texts) for (const secret of [SECRET, "ghp_0123"]) expect(text).not.toContain(secret);
});

test.for(["LD_PRELOAD", "PATH", "GIT_SSH_COMMAND", "BASH_FUNC_ls%%"])(
  "[security C5] a variable that steers programs is not passed on by a setting: %s",
  async (name) => {
    const place = new Place();
    try {
      mkdirSync(place.home, { recursive: true });
      writeFileSync(join(place.home, "config.yaml"), `terminal: { env: [CI, "${name}"] }\n`);
      const { code, stderr } = await place.run("http://127.0.0.1:9/v1", ["-p", "hi"]);
      expect(code).toBe(78);
      expect(stderr).toContain("terminal.env must be a list of variables, none of which decides what programs load");
    } finally {
      place.remove();
    }
  },
);
