// Evander through its public library entry, as built.
import { agent } from "../../dist/index.js";

/** @type {import("../measured/driver.d.ts").Create} */
export async function create({ baseUrl, model, persist, stateDir, maxIterations, tools }) {
  /** The harness hands over functions of its own for each turn. */
  const bound = new Map();
  const evander = agent({
    baseUrl,
    model,
    apiKey: "x",
    system: "You are a bench agent.",
    maxIterations,
    tools: tools.map((spec) => ({
      ...spec,
      effect: "pure",
      concurrency: "shared",
      run: (input, { sessionId }) => bound.get(sessionId).get(spec.name)(input),
    })),
    ...(persist.startsWith("durable") && { store: stateDir }),
    ...(persist === "durable-full" && { sync: "full" }),
  });
  return {
    async turn({ sessionId, prompt, tools: handed, onText }) {
      bound.set(sessionId, new Map(handed.map(({ name, execute }) => [name, execute])));
      const result = await evander.run(prompt, { sessionId, ...(onText && { onText }) });
      if (!result.ok) throw new Error(result.error?.message ?? result.exit.reason);
      return { text: result.answer };
    },
    save: (sessionId, messages) => evander.importMessages(sessionId, messages),
    stored: (sessionId) => evander.store.history(sessionId)?.length ?? 0,
    close: () => evander.close(),
  };
}
