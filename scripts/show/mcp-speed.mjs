import { performance } from "node:perf_hooks";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createToolbox } from "../../src/tools/toolbox.ts";
import { contextOf, McpPlace, programServer, published } from "../../test/support/mcp.ts";

export const about = "a call of a tool of a published MCP server, through a toolbox and through the bare SDK";

const ROUNDS = 400;
const LIMIT_MS = 2;
const NAME = "mcp__everything__echo";

/**
 * Both take turns, each with a server of its own, so that a busy machine weighs on both alike.
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  await using place = new McpPlace();
  const args = [published("everything"), "stdio"];
  const server = programServer("everything", args, { unasked: ["echo"] });
  const { port } = createToolbox(await place.desk([server]).tools());
  const client = new Client({ name: "bare", version: "1" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
  try {
    /** @type {{ ours: number[], bare: number[] }} */
    const times = { ours: [], bare: [] };
    const context = contextOf(new AbortController().signal);
    for (let round = -20; round < ROUNDS; round += 1) {
      const input = { message: `round ${round}` };
      const call = /** @type {const} */ ({
        type: "tool-call",
        callId: `c${round}`,
        name: NAME,
        input: JSON.stringify(input),
      });
      const ours = await timed(async () => {
        await port.ready?.();
        port.inspect(call);
        const { text } = await port.run(call, context);
        if (!text.includes(input.message)) throw new Error(`it said ${text}`);
      });
      const bare = await timed(() => client.callTool({ name: "echo", arguments: input }));
      if (round < 0) continue;
      times.ours.push(ours);
      times.bare.push(bare);
    }
    const [ours, bare] = [median(times.ours), median(times.bare)];
    return [
      {
        figure: "a call over the bare SDK",
        value: `${(ours - bare).toFixed(2)} ms (${ours.toFixed(2)} ms / ${bare.toFixed(2)} ms, ${(ours / bare).toFixed(2)}x)`,
        goal: `<= ${LIMIT_MS} ms`,
        pass: ours - bare <= LIMIT_MS,
      },
    ];
  } finally {
    await client.close();
  }
}

/** @param {() => Promise<unknown>} work */
async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** @param {number[]} times */
const median = (times) => times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? Infinity;
