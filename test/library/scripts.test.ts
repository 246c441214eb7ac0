import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Middleware, Tool } from "../../src/index.ts";
import { callLines } from "../../src/cli/screen/approvals.ts";
import { createToolbox } from "../../src/tools/toolbox.ts";
import type { RuleBook } from "../../src/protocol/approval.ts";
import { bench, type Bench } from "../support/agent-in-folder.ts";
import { scriptCall, ScriptPlace, scriptText } from "../support/scripts.ts";
import { callTools, say, type Step } from "../support/wire-script.ts";

const script = (code: string, id = "c"): Step =>
  callTools([{ id, name: "execute_code", arguments: { language: "python", code } }]);

const lastTold = ({ provider }: Bench): string => String(provider.requests.at(-1)?.body.messages.at(-1)?.content);

test("[B3] a batch of nothing but a script gives the budget back, not the local count, which bounds scripts without an end", async () => {
  using place = new ScriptPlace();
  await using on = await bench(script("print(read_file('a.txt'))"), say("Done."));
  writeFileSync(join(place.cwd, "a.txt"), "here\n");
  const bot = on.agent({ tools: place.tools(), approvals: "all" });
  expect(await bot.run("go")).toMatchObject({ answer: "Done.", iterations: { used: 2, refunded: 1 } });
  expect(lastTold(on)).toMatch(/^Exit code 0 after \d+\.\d s; 1 tool call\.\n[^]*here/u);
  const mixed = callTools([
    { id: "a", name: "execute_code", arguments: { language: "python", code: "print(1)" } },
    { id: "b", name: "read_file", arguments: { path: "a.txt" } },
  ]);
  on.provider.script(mixed, say("Done."));
  expect((await bot.run("go")).iterations).toMatchObject({ used: 2, refunded: 0 });
  on.provider.script(script("print(1)", "d"), script("print(2)", "e"), script("print(3)", "f"), say("The limit."));
  expect((await on.agent({ tools: place.tools(), approvals: "all", maxIterations: 3 }).run("go")).exit.reason).toBe(
    "max_iterations_reached",
  );
});

test("[E10] where nobody can say yes, a script does not run", async () => {
  using place = new ScriptPlace();
  await using on = await bench(script("open('made.txt', 'w')"), say("Noted."));
  const { toolEvents } = await on.agent({ tools: place.tools(), approvals: "never" }).run("go");
  expect(toolEvents).toMatchObject([{ name: "execute_code", status: "denied" }]);
  expect(() => readFileSync(join(place.cwd, "made.txt"))).toThrow("ENOENT");
});

test("[I6] middleware stands before the calls of a script as before those of a model", async () => {
  using place = new ScriptPlace();
  const code = `
for path in ["a.txt", "b.txt"]:
    try:
        print(write_file(path, "tea"))
    except ToolError as error:
        print(error)
`;
  await using on = await bench(script(code), say("Done."));
  const guard: Middleware = {
    name: "guard",
    toolRequest: ({ name, arguments: given }) => {
      if (name !== "write_file") return undefined;
      return given["path"] === "a.txt" ? { veto: "not this one" } : { arguments: { ...given, content: "coffee" } };
    },
  };
  await on.agent({ tools: place.tools(), approvals: "all", middleware: [guard] }).run("go");
  expect(lastTold(on)).toContain("refused it: not this one");
  expect(readFileSync(join(place.cwd, "b.txt"), "utf8")).toBe("coffee");
});

test("[E10] what people have allowed for good lets a call of a script run, and counts as used", async () => {
  using place = new ScriptPlace();
  const used: string[] = [];
  const rules: RuleBook = {
    ready: () => Promise.resolve(),
    covers: (parts) => (parts.every(({ words }) => words.includes("made.txt")) ? ["r1"] : undefined),
    used: (ids) => Promise.resolve(void used.push(...ids)),
    learn: () => Promise.resolve([]),
    list: () => Promise.resolve([]),
    forget: () => Promise.resolve(undefined),
  };
  const code = `
for name in ["made.txt", "other.txt"]:
    try:
        print(terminal("touch " + name).split()[:3])
    except ToolError as error:
        print(error)
`;
  const text = await scriptText(createToolbox(place.tools(), { rules }), "python", code);
  expect(text).toContain("['Exit', 'code', '0']\nterminal was not run: it needs a person's yes");
  expect(used).toEqual(["r1"]);
});

test("[E9] a secret that a script reads or prints reaches neither the script's tools' results nor the model", async () => {
  using place = new ScriptPlace();
  writeFileSync(join(place.cwd, "a.txt"), "the key is sk-abcdefghijklmnop1234567890\n");
  const peek: Tool = {
    name: "web_search",
    description: "Searches.",
    parameters: { type: "object", properties: { query: { type: "string" } } },
    effect: "pure",
    concurrency: "shared",
    run: () => "key sk-abcdefghijklmnop1234567890",
  };
  const code = "said = web_search('x')\nprint('sk-abc' in said, 'redacted' in said)\nprint(open('a.txt').read())";
  const text = await scriptText(createToolbox(place.tools([peek])), "python", code);
  expect(text).toContain("False True");
  expect(text).not.toContain("sk-abcdefghijklmnop");
});

test("[E10] whoever is asked about a script sees all of it, every character", async () => {
  using place = new ScriptPlace();
  const { port } = createToolbox(place.tools());
  await port.ready?.();
  const call = scriptCall("python", 'print("a\u202Eb")\nimport os\n');
  const { ask: why = "", plan } = port.inspect(call);
  const { name, input, callId } = call;
  const asked = { approvalId: "1", callId, name, input, why, ...(plan && { plan }) };
  const lines = callLines(asked, "en").join("\n");
  expect(lines).toContain("It runs a Python script, which can do whatever you can.");
  expect(lines).toContain(String.raw`print("a\u{202e}b")`);
  expect(lines).toContain("import os");
});
