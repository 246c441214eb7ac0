import { expect, test } from "vitest";
import { refusedTool } from "../../src/model/failure/refused-tool.ts";
import { adjustmentLine } from "../../src/words/adjustments.ts";
import { bench, tool } from "../support/agent-in-folder.ts";
import { refuse, say, type Step } from "../support/wire-script.ts";

const TOOLS = [tool("ok", () => "fine"), tool("bad", () => "fine")];
const offered = (body: unknown): (string | undefined)[] =>
  ((body as { tools?: { function: { name: string } }[] }).tools ?? []).map((each) => each.function.name);

const invalid = (message: string): Step => refuse(400, { error: { message, type: "invalid_request_error" } });

test("[MCP-01] a tool that is refused by name is left out, once and for the session, in a new process too, and named", async () => {
  const words = "Invalid schema for function 'bad': In context=('properties', 'm'), None is not of type 'array'.";
  await using on = await bench(invalid(words), say("One.", { newHead: true }), say("Two."));
  const first = on.agent({ tools: TOOLS });
  expect(await first.run("go", { sessionId: "s" })).toMatchObject({ answer: "One.", attempts: 2, retries: 0 });
  const adjustments = on.facts().flatMap((fact) => (fact.type === "request-adjusted" ? [fact.adjustment] : []));
  expect(adjustments).toEqual([{ withoutTool: "bad" }]);
  for (const line of adjustments.map(adjustmentLine)) {
    expect(line.en).toContain("the tool bad");
    expect(line.zh).toContain("bad");
  }
  await first.close();
  expect(await on.agent({ tools: TOOLS }).run("more", { sessionId: "s" })).toMatchObject({ attempts: 1 });
  expect(on.provider.requests.map(({ body }) => offered(body))).toEqual([["ok", "bad"], ["ok"], ["ok"]]);
});

test("[MCP-01] a tool that is refused although it was not sent, or goes on being refused, is not asked about again", async () => {
  const of = (name: string) => invalid(`Invalid schema for function '${name}': no.`);
  await using on = await bench(of("other"), of("bad"), { ...of("bad"), newHead: true });
  const bot = on.agent({ tools: TOOLS });
  expect(await bot.run("go")).toMatchObject({ ok: false, attempts: 1, exit: { reason: "request_rejected" } });
  expect(await bot.run("go")).toMatchObject({ ok: false, attempts: 2, exit: { reason: "request_rejected" } });
});

test.each([
  ["invalid schema for function 'bad': schema must have a type", "bad"],
  ["tools.3.custom.input_schema: json schema is invalid", "3"],
  ["invalid 'tools[3].function.parameters': expected an object", "3"],
  ["generatecontentrequest.tools[0].function_declarations[3].parameters: only allowed for string", "3"],
  ["the value at toolconfig.tools.3.member.toolspec.inputschema is invalid", "3"],
  ["tool 'bad' has an invalid input", "bad"],
  ["tool_choice is not supported", undefined],
  ["messages.3: tool_use ids were found without tool_result blocks", undefined],
  ["invalid value for tools: expected a list", undefined],
])("[MCP-01] what a server says of a tool: %s", (text, named) => {
  expect(refusedTool(text)).toBe(named);
});
