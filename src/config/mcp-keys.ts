import type { Takes } from "../protocol/setting.ts";
import { LONGEST_MS } from "./duration.ts";
import type { Key } from "./keys.ts";

const MOST_SECONDS = Math.floor(LONGEST_MS / 1_000);

const ofServer = (name: string, takes: Takes, meaning: string, usually: string): Key => ({
  name: `mcp.servers.*.${name}`,
  takes,
  meaning,
  usually,
  project: "nothing",
});

const NONE = "none";
const WORDS: Takes = { type: "words" };

/**
 * The servers of tools that their owner has named (row I5). That a server stands here starts nothing: its owner agrees to
 * it, as it is, with evander mcp add or allow. A project's own file only proposes servers.
 */
export const MCP_KEYS: readonly Key[] = [
  ofServer("enabled", { type: "switch" }, "whether the server is used", "on"),
  ofServer(
    "command",
    { type: "text" },
    "the program that is the server, which speaks MCP on its stdin and stdout",
    NONE,
  ),
  ofServer("args", { type: "lines" }, "its arguments, in order", NONE),
  ofServer("cwd", { type: "text" }, "the folder it is started in: absolute, or below ~/", "your home folder"),
  ofServer("env.*", { type: "given" }, "a variable it gets beside PATH, HOME, LANG and the like", NONE),
  ofServer("writes", { type: "files" }, "folders it may write in, where there is a sandbox", NONE),
  ofServer("hosts", { type: "hosts" }, "hosts it may reach, where there is a sandbox", NONE),
  ofServer("url", { type: "address" }, "the address of a server that is reached over HTTP", NONE),
  ofServer("headers.*", { type: "given" }, "a header that each request to it carries", NONE),
  ofServer(
    "timeout",
    { type: "count", of: "seconds", most: MOST_SECONDS },
    "how long a call may be silent before it is given up",
    "30",
  ),
  ofServer(
    "startTimeout",
    { type: "count", of: "seconds", most: MOST_SECONDS },
    "how long it may take until it can be asked",
    "30",
  ),
  ofServer("parallel", { type: "switch" }, "whether calls that only read may run side by side", "off"),
  ofServer("tools", WORDS, "the only tools of it that are offered, as the server calls them", "all it lists"),
  ofServer("off", WORDS, "tools of it that are not offered", NONE),
  ofServer("unasked", WORDS, "tools of it that run without a question", NONE),
  ofServer("idempotent", WORDS, "tools of it of which the same call twice does what one does", NONE),
];
