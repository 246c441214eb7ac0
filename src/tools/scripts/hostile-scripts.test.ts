import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runScript, ScriptPlace, scriptText } from "../../../test/support/scripts.ts";
import type { Tool } from "../../protocol/tool.ts";
import { createToolbox, type Toolbox } from "../toolbox.ts";

let place: ScriptPlace;
let cwd: string;

beforeEach(() => {
  place = new ScriptPlace();
  ({ cwd } = place);
});

afterEach(() => place[Symbol.dispose]());

const box = (more: readonly Tool[] = []): Toolbox => createToolbox(place.tools(more));

describe("a hostile script", () => {
  const alive = (mark: string): readonly { pid: number }[] =>
    readdirSync("/proc").flatMap((name) => {
      if (!/^\d+$/u.test(name)) return [];
      try {
        return readFileSync(`/proc/${name}/cmdline`, "utf8").includes(mark) ? [{ pid: Number(name) }] : [];
      } catch {
        return [];
      }
    });

  test("[E9] that never ends is stopped at its time, with all it has started", async () => {
    const mark = `evander-${process.pid}-children`;
    const code = `
import os, subprocess, sys, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for n in range(100):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)", "${mark}"], start_new_session=n % 2 == 0)
print("all started", flush=True)
while True: pass
`;
    await expect(runScript(box(), "python", code, { timeout: 4 })).rejects.toThrow(
      /^Stopped after .*the timeout was reached/u,
    );
    expect(alive(mark)).toEqual([]);
  }, 30_000);

  test("[E9] is stopped by its user, and so is the call it waits for", async () => {
    const stop = new AbortController();
    const started = Promise.withResolvers<boolean>();
    const slow: Tool = {
      name: "web_search",
      description: "Searches.",
      parameters: { type: "object", properties: { query: { type: "string" } } },
      effect: "pure",
      concurrency: "shared",
      run: (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("the search was stopped")));
          started.resolve(true);
        }),
    };
    const running = runScript(box([slow]), "javascript", 'await web_search("tea")', { signal: stop.signal });
    await Promise.race([started.promise, running]);
    stop.abort();
    await expect(running).rejects.toThrow("Stopped by the user");
  });

  test("[E9] whose process has gone leaves no call running", async () => {
    const started = Promise.withResolvers<boolean>();
    const stopped = Promise.withResolvers<boolean>();
    const slow: Tool = {
      name: "web_search",
      description: "Searches.",
      parameters: { type: "object", properties: { query: { type: "string" } } },
      effect: "pure",
      concurrency: "shared",
      run: (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            stopped.resolve(true);
            reject(new Error("stopped"));
          });
          writeFileSync(join(cwd, "go"), "");
          started.resolve(true);
        }),
    };
    const code =
      'import { existsSync } from "node:fs";\nweb_search("tea");\nsetInterval(() => existsSync("go") && process.exit(3), 5);';
    const { text } = await runScript(box([slow]), "javascript", code);
    expect(text).toMatch(/^Exit code 3 /mu);
    expect(await stopped.promise).toBe(true);
  });

  test("[E9] that prints without an end is stopped", async () => {
    const code = 'import sys\nchunk = "x" * 1000000\nfor _ in range(1000): sys.stdout.write(chunk)';
    await expect(runScript(box(), "python", code)).rejects.toThrow("it wrote too much output");
  }, 30_000);

  test("[E9] that sends garbage, or holds connections open, harms nobody", async () => {
    writeFileSync(join(cwd, "a.txt"), "here\n");
    const code = `
import json, os, socket
here = os.path.dirname(os.path.abspath(__file__))
where = json.load(open(os.path.join(here, "connection.json")))["socket"]
def sent(data, wait=True):
    s = socket.socket(socket.AF_UNIX)
    s.connect(where)
    try:
        s.sendall(data)
        return s.makefile().readline() if wait else s
    except OSError:
        return "cut off"
print(sent(b"\\x00\\xff garbage\\n"))
print(sent(b'{"secret": "guess", "tool": "read_file", "input": {}}\\n'))
print(sent(b'[1, 2]\\n'))
print(sent(b"x" * 9000000) or "cut off")
held = [sent(b'{"half', wait=False) for _ in range(20)]
print("still:", "here" in read_file("a.txt"))
more = [socket.socket(socket.AF_UNIX) for _ in range(200)]
for s in more:
    try: s.connect(where)
    except OSError: pass
try:
    read_file("a.txt")
except ToolError as error:
    print("full:", error)
for s in held + more: s.close()
`;
    const text = await scriptText(box(), "python", code);
    expect(text).toContain("This is no call: a line of JSON was expected.");
    expect(text).toContain("This call does not come from the script.");
    expect(text).toContain("still: True");
    expect(text).toContain("full: the tools");
    expect(text).toContain("Exit code 0");
  });

  test("[E9] whose program was killed leaves a folder, which goes with the next script", async () => {
    const lost = join(place.root, "runs", "evander-script-4194305-lost");
    mkdirSync(lost);
    utimesSync(lost, 1_000, 1_000);
    expect(await scriptText(box(), "javascript", "console.log(1)")).toContain("\n1");
    expect(readdirSync(join(place.root, "runs"))).toEqual([]);
  });

  test("[E9] that leaves a process behind is told so, and it is ended", async () => {
    const mark = `evander-${process.pid}-left`;
    const code = `import subprocess, sys\nsubprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)", "${mark}"], start_new_session=True)`;
    expect(await scriptText(box(), "python", code)).toContain("still ran and were ended");
    expect(alive(mark)).toEqual([]);
  });
});
