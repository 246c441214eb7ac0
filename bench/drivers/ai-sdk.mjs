import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { isStepCount, jsonSchema, tool, ToolLoopAgent } from "ai";

/** @type {import("../measured/driver.d.ts").Create} */
export async function create({ baseUrl, model, maxIterations }) {
  const provider = createOpenAICompatible({ name: "mock", baseURL: baseUrl, apiKey: "x", includeUsage: true });
  return {
    async turn({ prompt, tools, onText }) {
      const agent = new ToolLoopAgent({
        model: provider(model),
        instructions: "You are a bench agent.",
        stopWhen: isStepCount(maxIterations),
        maxRetries: 0,
        tools: Object.fromEntries(
          tools.map(({ name, description, parameters, execute }) => [
            name,
            tool({ description, inputSchema: jsonSchema(parameters), execute }),
          ]),
        ),
      });
      const { fullStream } = await agent.stream({ messages: [{ role: "user", content: prompt }] });
      let text = "";
      for await (const part of fullStream) {
        if (part.type === "error") throw part.error;
        if (part.type !== "text-delta") continue;
        text += part.text;
        onText?.(part.text);
      }
      return { text };
    },
    async close() {},
  };
}
