import { agentOn } from "../../../src/agent/agent.ts";
import type { Tool } from "../../../src/protocol/tool.ts";
import { memoryStore } from "../../../src/store/memory.ts";
import { EndlessProvider } from "../../support/endless-provider.ts";
import { callTools } from "../../support/wire-script.ts";

/** A parent gives a task, its child waits in a tool, and the parent is stopped: how long the child goes on, ms. */
export async function msAfterStop(): Promise<number> {
  const waits = Promise.withResolvers<undefined>();
  const provider = new EndlessProvider((request) => {
    const [head] = request.body.messages;
    const isChild = String(head?.content).startsWith("You are a child agent");
    return isChild
      ? callTools([{ id: "w", name: "wait", arguments: {} }])
      : callTools([{ id: "d", name: "delegate_task", arguments: { goal: "wait" } }]);
  });
  await provider.server.listen();
  const { baseUrl } = provider.server;
  const bot = agentOn(memoryStore(), { baseUrl, model: "m", children: {}, tools: [waiting(waits.resolve)] });
  try {
    const turn = bot.start("go", { sessionId: "s" });
    await waits.promise;
    const stoppedAt = performance.now();
    await turn.interrupt();
    await turn;
    const ends = bot.store.children("s").map(({ sessionId }) => bot.store.turn(sessionId)?.facts.at(-1)?.fact.type);
    return ends.length === 1 && ends[0] === "turn-end" ? performance.now() - stoppedAt : Infinity;
  } finally {
    await bot.close();
    await provider.close();
  }
}

/** Comes back when it is aborted, as tools do. */
const waiting = (begun: (nothing: undefined) => void): Tool => ({
  name: "wait",
  description: "Waits.",
  parameters: { type: "object", properties: {} },
  effect: "pure",
  concurrency: "shared",
  run: (_input, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
      begun(undefined);
    }),
});
