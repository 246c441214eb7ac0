import { setTimeout } from "node:timers/promises";
import { agentOn } from "../../../src/agent/agent.ts";
import type { Tool } from "../../../src/protocol/tool.ts";
import { memoryStore } from "../../../src/store/memory.ts";
import { VirtualClock } from "../../../src/testing/virtual-clock.ts";
import { EndlessProvider } from "../../support/endless-provider.ts";
import { callTools } from "../../support/wire-script.ts";

/** No time passes: whoever waits for some waits for ever, unless what they wait for comes. */
class StillClock extends VirtualClock {
  override sleep(_ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  }

  override set(): () => void {
    return () => {};
  }
}

/** For a child that goes on after all: nobody waits longer. */
const HANGS_MS = 20_000;

/**
 * A parent gives a task, its child waits in a tool, and the parent is stopped: whether the child ends with it, before any time
 * has passed.
 */
export async function endsWithParent(): Promise<boolean> {
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
  const bot = agentOn(memoryStore(), {
    baseUrl,
    model: "m",
    children: {},
    tools: [waiting(waits.resolve)],
    clock: new StillClock(),
  });
  const hangs = new AbortController();
  try {
    const turn = bot.start("go", { sessionId: "s" });
    await waits.promise;
    await turn.interrupt();
    const late = setTimeout(HANGS_MS, "late" as const, { signal: hangs.signal }).catch(() => "late" as const);
    if ((await Promise.race([turn, late])) === "late") return false;
    const ends = bot.store.children("s").map(({ sessionId }) => bot.store.turn(sessionId)?.facts.at(-1)?.fact.type);
    return ends.length === 1 && ends[0] === "turn-end";
  } finally {
    hangs.abort();
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
