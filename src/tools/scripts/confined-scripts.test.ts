import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runScript, scriptCall, ScriptPlace } from "../../../test/support/scripts.ts";
import type { Needs, Sandbox, SandboxState, Start } from "../../protocol/sandbox.ts";
import type { Tool } from "../../protocol/tool.ts";
import { builtInTools } from "../built-in.ts";
import { createToolbox } from "../toolbox.ts";

let place: ScriptPlace;

beforeEach(() => {
  place = new ScriptPlace();
});

afterEach(() => place[Symbol.dispose]());

interface Watched extends Sandbox {
  readonly confined: { readonly start: Start; readonly needs: Needs | undefined }[];
  readonly released: () => number;
}

/** Says that it confines, and runs what is started under a name of its own. */
function sandboxIn(state: SandboxState): Watched {
  const confined: Watched["confined"] = [];
  let released = 0;
  return {
    confined,
    released: () => released,
    state: () => Promise.resolve(state),
    close: () => Promise.resolve(),
    confine: (start, needs) => {
      confined.push({ start, needs });
      const env = { ...start.env, CONFINED: "yes" };
      return Promise.resolve({ ...start, env, release: () => Promise.resolve(void released++) });
    },
  };
}

const withSandbox = (sandbox: Sandbox): Tool[] =>
  builtInTools({ cwd: place.cwd, home: join(place.root, "home"), env: process.env, sandbox });

test("[E9] a script that is confined runs unasked, and its calls are judged one by one", async () => {
  writeFileSync(join(place.cwd, "a.txt"), "here\n");
  const sandbox = sandboxIn({ type: "on", mode: "workspace", by: "test" });
  const toolbox = createToolbox(withSandbox(sandbox));
  await toolbox.port.ready?.();
  expect(toolbox.port.inspect(scriptCall("python", "1"))).toMatchObject({ effect: "effect" });
  expect(toolbox.port.inspect(scriptCall("python", "1")).ask).toBeUndefined();
  const code = `
import os
print(os.environ["CONFINED"], "here" in read_file("a.txt"))
try:
    terminal("touch made.txt")
except ToolError as error:
    print(str(error)[:50])
`;
  const { text } = await runScript(toolbox, "python", code);
  expect(text).toContain("\nyes True\n");
  const [{ start, needs } = { start: undefined, needs: undefined }] = sandbox.confined;
  expect(start?.cwd).toBe(place.cwd);
  expect(needs).toEqual({ sockets: [expect.stringMatching(/evander-script-[^/]+\/socket$/u)] });
  expect(sandbox.released()).toBe(1);
});

test("[E9] [E10] where the sandbox that is asked for is missing, no script runs, whoever says yes", async () => {
  const sandbox = sandboxIn({ type: "missing", why: "there is no bubblewrap", next: "Install it." });
  const { port } = createToolbox(withSandbox(sandbox));
  await port.ready?.();
  expect(port.inspect(scriptCall("python", "1")).refuse).toBe(
    "execute_code was not run: there is no bubblewrap. Install it.",
  );
});

test("[E9] [E10] where the sandbox is off, a person is asked", async () => {
  const { port } = createToolbox(withSandbox(sandboxIn({ type: "off", why: "it is switched off" })));
  await port.ready?.();
  expect(port.inspect(scriptCall("python", "1")).ask).toContain("which can do whatever you can");
});
