import { Agent, OpenAIChatCompletionsModel, Runner, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";

setTracingDisabled(true);

/** @type {import("../measured/driver.d.ts").Create} */
export async function create({ baseUrl, model, maxIterations }) {
  const client = new OpenAI({ baseURL: baseUrl, apiKey: "x", maxRetries: 0 });
  const runner = new Runner({ tracingDisabled: true });
  return {
    async turn({ prompt, tools, onText }) {
      const agent = new Agent({
        name: "bench",
        instructions: "You are a bench agent.",
        model: new OpenAIChatCompletionsModel(client, model),
        tools: tools.map(({ name, description, parameters, execute }) =>
          tool({ name, description, parameters, strict: true, execute }),
        ),
      });
      const result = await runner.run(agent, prompt, { stream: true, maxTurns: maxIterations });
      let text = "";
      for await (const event of result) {
        if (event.type !== "raw_model_stream_event" || event.data.type !== "output_text_delta") continue;
        text += event.data.delta;
        onText?.(event.data.delta);
      }
      await result.completed;
      return { text };
    },
    async close() {},
  };
}
