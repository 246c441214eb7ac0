import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { TurnResult } from "../../src/protocol/result.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import { echo, guarded, stuck } from "../support/tools.ts";
import { callTools, refuse, say } from "../support/wire-script.ts";

const NOWHERE = "http://127.0.0.1:9/v1";

test("[J7] a group alone, help in each spelling and the version are answers, not errors", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  for (const group of ["session", "turn"]) {
    const { code, stdout, stderr } = await world.run([group]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`Usage: evander ${group}`);
    expect((await world.run(["help", group])).stdout).toBe(stdout);
  }
  const { stdout } = await world.run(["--help"]);
  expect((await world.run(["help"])).stdout).toBe(stdout);
  expect(stdout).toContain("stream.firstByteMs");
  expect(stdout).not.toContain("[]");
  for (const spelling of ["--version", "-V", "version"])
    expect(await world.run([spelling])).toEqual({ code: 0, stdout: "evander 0.0.0-test\n", stderr: "" });
  expect((await world.run(["--output", "json", "--version"])).stdout).toBe("evander 0.0.0-test\n");
});

test("[J7] a mistyped command is refused with the one that was meant, and asks no model", async () => {
  await using provider = await fakeProvider([say("Hello.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const typo = await world.run(["sesion", "list"]);
  expect(typo).toMatchObject({ code: 2, stdout: "" });
  expect(typo.stderr).toContain("Perhaps this was meant: evander session list\n");
  expect((await world.run(["turns"])).stderr).toContain("evander turn\n");
  expect((await world.run(["help", "me", "please"])).stdout).toBe("Hello.\n");
});

test("[J7] a message that begins like a command is refused with the way to send it", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  for (const words of ["where is it?", "trust me please"]) {
    const { code, stderr } = await world.run(words.split(" "));
    expect(code).toBe(2);
    expect(stderr).toContain(`To ask a model just that: evander -p '${words}'\n`);
  }
});

test("[J7] the words behind -p are one prompt, also when one is a command or begins with a dash", async () => {
  await using provider = await fakeProvider([say("1."), say("2."), say("3.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await world.run(["-p", "how", "many", "files"]);
  await world.run(["-p", "my", "session", "notes"]);
  await world.run(["--prompt=-1 file?"]);
  const prompts = provider.requests.map(({ body }) => body.messages.at(-1)?.content);
  expect(prompts).toEqual(["how many files", "my session notes", "-1 file?"]);
  const dashed = await world.run(["-p", "-1 file?"]);
  expect(dashed).toMatchObject({ code: 2, stderr: expect.stringContaining("--prompt=") });
});

test("[J7] --output: json needs a prompt, and what reads takes it as it takes --json", async () => {
  await using provider = await fakeProvider([say("Hi.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const refused = await world.run(["--output", "json"], "hello\n");
  expect(JSON.parse(refused.stdout)).toMatchObject({ error: { message: expect.stringContaining("add -p") } });
  expect(refused.code).toBe(2);
  await world.ask("hi");
  const json = (await world.run(["session", "list", "--json"])).stdout;
  expect(JSON.parse(json)).toHaveLength(1);
  expect((await world.run(["session", "list", "--output", "json"])).stdout).toBe(json);
  expect((await world.run(["--output", "json", "session", "list"])).stdout).toBe(json);
});

test("[J7] /help lists, /exit leaves, another /word is refused; a space makes it a message", async () => {
  await using provider = await fakeProvider([say("A message.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const { code, stdout, stderr } = await world.run([], "/help\n/frob it\n /frob it\n/exit\nnever sent\n");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "A message.\n" });
  expect(stderr).toContain("/quit  leave; so does Ctrl-D (/exit /q)");
  expect(stderr).toContain("There is no /frob: /help lists what there is.");
  expect(stderr).toContain("1 line was not sent:\n  never sent\n");
});

test("[J1] a piped conversation ends with the code of its first turn that did not end well", async () => {
  const unauthorised = refuse(401, { error: { message: "no" } });
  const unpaid = refuse(402, { error: { message: "no" } });
  await using provider = await fakeProvider([say("1."), unauthorised, say("3."), unpaid, say("Fine.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  expect(await world.run([], "one\ntwo\nthree\nfour\n")).toMatchObject({ code: 77, stdout: "1.\n3.\n" });
  expect((await world.run([], "five\n")).code).toBe(0);
});

test("[J1] SIGINT ends a piped conversation, and tells what was not sent", async () => {
  const calls = callTools([{ id: "s", name: "stuck", arguments: {} }]);
  await using provider = await fakeProvider([calls]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [stuck(() => world.signal("SIGINT"))]);
  const { code, stderr } = await world.run([], "one\ntwo\n");
  expect(code).toBe(130);
  expect(stderr).toContain("1 line was not sent:\n  two\n");
});

test("[X2] a server that was named and cannot be used is said, and the practice model is no stand-in", async () => {
  const next = [{ do: "configure", text: "Set the key", command: "export OPENAI_API_KEY=YOUR_KEY" }];
  await using world = await ProgramWorld.open({ type: "none", cause: "missing_key", message: "No key.", next });
  const { code, stderr } = await world.run([], "hi\n");
  expect({ code, stderr }).toEqual({
    code: 78,
    stderr: "evander: missing_key: No key.\n  next: Set the key: export OPENAI_API_KEY=YOUR_KEY\n",
  });
});

test("[X1] commands go on with the flags the work was begun with, and are shown as this checkout runs them", async () => {
  const call = callTools([{ id: "g", name: "guarded", arguments: { text: "x" } }]);
  await using provider = await fakeProvider([call, call]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [guarded()]);
  const argv = ["-p", "do it", "--approve", "park", "--model", "it's"];
  const json = await world.run([...argv, "--output", "json"], "", { env: { npm_lifecycle_event: "start" } });
  const command = String.raw`evander session resume session-1 --continue --model 'it'\''s'`;
  const { next } = (JSON.parse(json.stdout) as TurnResult).exit;
  expect(next.find((step) => step.do === "resume")?.command).toBe(command);
  const text = await world.run(argv, "", { env: { npm_lifecycle_event: "start" } });
  expect(text.stderr).toContain(String.raw`: npm start -- session resume session-2 --continue --model 'it'\''s'`);
  expect(text.stderr).not.toContain("evander session");
});

test("[X1] a store that cannot be used names the variable that moves it, and offers nothing that cannot help", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  await writeFile(`${world.folder}/state`, "a file, no folder");
  const result = await world.ask("hi");
  expect(result.exit).toMatchObject({ reason: "store_unavailable", code: 73 });
  expect(result.error?.next).toEqual([expect.objectContaining({ command: "export EVANDER_HOME=/absolute/folder" })]);
});

test("[J7] flags that exclude each other are refused in one sentence, in either order: 2", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  const refused = async (...argv: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await world.run(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    return stderr.split("\n", 1)[0] ?? "";
  };
  const tools = "evander: usage_error: --tools names tools and --no-tools wants none: leave one of them out.";
  expect(await refused("-p", "hi", "--tools", "terminal", "--no-tools")).toBe(tools);
  expect(await refused("--no-tools", "--tools", "terminal")).toBe(tools);
  const shows = "evander: usage_error: --raw, --picture and --svg exclude each other: leave all but one of them out.";
  expect(await refused("turn", "show", "--raw", "--picture")).toBe(shows);
  expect(await refused("turn", "show", "last", "--picture", "--raw")).toBe(shows);
});

test("[J7] an empty name of a session or a profile is refused as such, before anything is looked for", async () => {
  await using nowhere = await ProgramWorld.open({ type: "none", cause: "no_provider", message: "None.", next: [] });
  await using world = await ProgramWorld.onServer(NOWHERE);
  const session = "The name of the session is empty: write its id, its title, or last.";
  const refused = { code: 2, stderr: expect.stringContaining(session) };
  expect(await nowhere.run(["-p", "hi", "--resume", ""])).toMatchObject(refused);
  for (const argv of [["--resume= "], ["session", "show", ""]])
    expect(await world.run(argv, "hi\n")).toMatchObject(refused);
  const profile = 'The name of a profile is 1 to 40 small letters, digits, - and _; it is "".';
  for (const argv of [
    ["-P", "", "-p", "hi"],
    ["--profile=", "-p", "hi"],
    ["session", "list", "-P", ""],
  ])
    expect(await world.run(argv)).toMatchObject({ code: 2, stderr: expect.stringContaining(profile) });
});

test("[J7] --plain holds for one prompt too: who looks on sees lines and no escape sequence", async () => {
  const calls = callTools([{ id: "c", name: "echo", arguments: { text: "x" } }]);
  await using provider = await fakeProvider([calls, say("Done."), calls, say("Done.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [echo]);
  expect((await world.sit(["-p", "hi"]).ended).stderr).toContain("\u001B[");
  const { code, stderr } = await world.sit(["-p", "hi", "--plain"]).ended;
  expect({ code, told: stderr.includes("✓ echo") }).toEqual({ code: 0, told: true });
  expect(stderr).not.toContain("\u001B");
});

test("[J7] a command line that is not understood leads to the help of its own command", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  const told = async (...argv: readonly string[]): Promise<string> => {
    const { code, stderr } = await world.run(argv);
    expect(code).toBe(2);
    return stderr;
  };
  expect(await told("doctor", "providers", "--request")).toContain(
    "what the command takes: evander doctor providers --help\n",
  );
  expect(await told("-p", "hi", "--modle", "x")).toBe(
    "evander: usage_error: unknown option '--modle' (Did you mean --model?)\n  next: See the options: evander --help\n",
  );
  const unsaid = await told("session", "resume", "last");
  expect(unsaid).toContain("required option '--continue' not specified");
  expect(unsaid).toContain("evander session resume --help\n");
  expect((await world.run(["session", "resume", "last", "--lang", "zh"])).stderr).toContain(
    "缺少必需的选项 --continue",
  );
});

test("[X8] config show with a key points to config get", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  const { code, stderr } = await world.run(["config", "show", "model"]);
  expect(code).toBe(2);
  expect(stderr).toContain("next: Perhaps this was meant: evander config get model\n");
});
