// The 1.0x anchor: what a competent person writes first. fetch and JSON; nothing is saved.

/** @type {import("../measured/driver.d.ts").Create} */
export async function create({ baseUrl, model }) {
  return {
    async turn({ prompt, tools, onText }) {
      const specs = tools.map(({ name, description, parameters }) => ({
        type: "function",
        function: { name, description, parameters },
      }));
      const byName = new Map(tools.map((tool) => [tool.name, tool]));
      const messages = [
        { role: "system", content: "You are a bench agent." },
        { role: "user", content: prompt },
      ];
      for (;;) {
        const body = { model, stream: true, stream_options: { include_usage: true }, tools: specs, messages };
        const headers = { "content-type": "application/json", authorization: "Bearer x" };
        const response = await fetch(`${baseUrl}/chat/completions`, {
          method: "POST",
          headers,
          body: JSON.stringify(body),
        });
        if (!response.ok) throw new Error(`http ${response.status}`);
        const { content, calls } = await read(response, onText);
        if (calls.length === 0) return { text: content };
        messages.push({ role: "assistant", content: content || null, tool_calls: calls });
        const results = await Promise.all(
          calls.map((call) => byName.get(call.function.name).execute(JSON.parse(call.function.arguments))),
        );
        calls.forEach((call, index) => messages.push({ role: "tool", tool_call_id: call.id, content: results[index] }));
      }
    },
    async close() {},
  };
}

async function read(response, onText) {
  const decoder = new TextDecoder();
  const calls = [];
  let content = "";
  let pending = "";
  for await (const chunk of response.body) {
    pending += decoder.decode(chunk, { stream: true });
    let at = 0;
    for (let end = pending.indexOf("\n"); end >= 0; end = pending.indexOf("\n", at)) {
      const line = pending.slice(at, end);
      at = end + 1;
      if (!line.startsWith("data: ") || line === "data: [DONE]") continue;
      const delta = JSON.parse(line.slice(6)).choices[0]?.delta;
      if (delta?.content) {
        content += delta.content;
        onText?.(delta.content);
      }
      for (const piece of delta?.tool_calls ?? []) addCall(calls, piece);
    }
    pending = pending.slice(at);
  }
  return { content, calls };
}

function addCall(calls, piece) {
  const call = (calls[piece.index] ??= { id: piece.id, type: "function", function: { name: "", arguments: "" } });
  call.function.name += piece.function?.name ?? "";
  call.function.arguments += piece.function?.arguments ?? "";
}
