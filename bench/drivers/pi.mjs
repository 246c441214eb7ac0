import { Agent } from "@earendil-works/pi-agent-core";
import { streamSimple } from "@earendil-works/pi-ai/api/openai-completions";

/** @type {import("../measured/driver.d.ts").Create} */
export async function create({ baseUrl, model: id }) {
  const model = {
    id,
    name: id,
    api: "openai-completions",
    provider: "mock",
    baseUrl,
    reasoning: false,
    input: ["text"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 1e9,
    maxTokens: 1000,
    compat: {},
  };
  return {
    async turn({ prompt, tools, onText }) {
      let text = "";
      const agent = new Agent({
        streamFn: (which, context, options) => streamSimple(which, context, { ...options, apiKey: "x" }),
        getApiKey: () => "x",
        initialState: {
          systemPrompt: "You are a bench agent.",
          model,
          tools: tools.map(({ name, description, parameters, execute }) => ({
            name,
            label: name,
            description,
            parameters,
            execute: async (_id, input) => ({ content: [{ type: "text", text: await execute(input) }], details: {} }),
          })),
        },
      });
      agent.subscribe((event) => {
        if (event.type !== "message_update" || event.assistantMessageEvent.type !== "text_delta") return;
        text += event.assistantMessageEvent.delta;
        onText?.(event.assistantMessageEvent.delta);
      });
      await agent.prompt(prompt);
      if (agent.state.errorMessage) throw new Error(agent.state.errorMessage);
      return { text };
    },
    async close() {},
  };
}
