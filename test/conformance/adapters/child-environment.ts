import { gitEnvironment } from "../../../src/context/skills/install/read-git.ts";
import { commandEnvironment } from "../../../src/tools/terminal/command-environment.ts";
import { terminalTool } from "../../../src/tools/terminal/terminal.ts";
import { createToolbox } from "../../../src/tools/toolbox.ts";
import type { Json, JsonObject } from "../case-file.ts";
import { listOf, objectOf, textOf } from "../input.ts";

/** The recording's own environment, by the name it has there. */
const PARENTS: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map([
  [
    "ENV1",
    {
      PATH: "/usr/bin:/bin",
      HOME: "/home/u",
      LANG: "C.UTF-8",
      OPENAI_API_KEY: "FAKE1",
      TELEGRAM_BOT_TOKEN: "FAKE2",
      AWS_SECRET_ACCESS_KEY: "FAKE3",
      GITHUB_TOKEN: "FAKE4",
      AGENT_SESSION_KEY: "FAKE5",
      SSH_AUTH_SOCK: "/run/x",
      HTTP_PROXY: "http://u:FAKE6@p.test",
      NPM_TOKEN: "FAKE7",
      MY_APP_PW: "FAKE8",
      DATABASE_URL: "postgres://u:FAKE9@h/x",
      KUBECONFIG: "/home/u/.kube/config",
      XDG_RUNTIME_DIR: "/run/user/1000",
      DBUS_SESSION_BUS_ADDRESS: "unix:path=/run/x",
    },
  ],
]);

/** Whether a child gets each variable, or what becomes of those that a model names. */
export function childEnvironmentCase(input: Json): unknown {
  const given = objectOf(input, "input");
  if (given["model_env"] !== undefined) return namedByModel(objectOf(given["model_env"], "model_env"));
  const own = PARENTS.get(textOf(given["parent_env"], "parent_env")) ?? {};
  const pass =
    given["owner_pass"] === undefined
      ? []
      : listOf(given["owner_pass"], "owner_pass").map((name) => textOf(name, "owner_pass"));
  const child =
    given["child"] === "git helper"
      ? gitEnvironment(own, { address: "https://git.test/x" })
      : commandEnvironment(own, { cwd: "/home/u/ws", asked: true, pass });
  return Object.fromEntries(Object.keys(own).map((name) => [name, name in child]));
}

export function childEnvironmentExpectation(expect: Json): Json {
  if (typeof expect === "string") return { runs: false, said: true };
  const { present = [], absent = [] }: JsonObject = objectOf(expect, "expect");
  const all = (names: Json, is: boolean): [string, boolean][] =>
    listOf(names, "names").map((name) => [textOf(name, "names"), is]);
  return Object.fromEntries([...all(present, true), ...all(absent, false)]);
}

/** A command has no variables of a model's: neither as an argument, nor unasked in front of it. */
async function namedByModel(env: JsonObject): Promise<unknown> {
  const place = { cwd: process.cwd(), home: "/nowhere", guarded: [] };
  const tool = terminalTool({ place, own: { PATH: "/usr/bin:/bin" } });
  const { port } = createToolbox([tool]);
  await port.ready?.();
  const inspect = (args: object): ReturnType<typeof port.inspect> =>
    port.inspect({ type: "tool-call", callId: "c", name: "terminal", input: JSON.stringify(args) });
  const asArgument = inspect({ command: "ls", env });
  const [name = "", value] = Object.entries(env)[0] ?? [];
  const inFront = inspect({ command: `${name}='${textOf(value ?? null, "value")}' ls` });
  const isStopped = inFront.refuse !== undefined || inFront.ask !== undefined;
  return { runs: asArgument.refuse === undefined || !isStopped, said: asArgument.refuse?.includes('"env"') === true };
}
