import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { bench } from "../support/agent-in-folder.ts";
import { FakeProvider } from "../support/fake-provider.ts";
import { refuse, say } from "../support/wire-script.ts";

const PICTURE = { type: "image", url: "data:image/png;base64,iVBORw0KGgo=" } as const;
const BLIND = { provider: "custom", model: "fake-1", input: ["text"], quirks: [] } as const;

test("[C5] a model that cannot see is told what another sees, once, and reads it with every later request", async () => {
  await using world = await bench(say("A cat."), say("Sure."));
  await using eyes = await new FakeProvider([say("A black cat on a mat.")]).listen();
  const vision = { model: "eyes-1", baseUrl: eyes.baseUrl, provider: "seer" };
  const bot = world.agent({ facts: BLIND, vision });
  const { answer, messages } = await bot.run("what is this?", { sessionId: "s", attachments: [PICTURE] });
  await bot.close();
  await world.agent({ facts: BLIND, vision }).run("sure?", { sessionId: "s" });
  expect(answer).toBe("A cat.");
  expect(eyes.requests[0]?.text).toContain(PICTURE.url);
  expect(eyes.requests[0]?.text).toContain("what is this?");
  const text = expect.stringContaining("A black cat on a mat.") as string;
  expect(messages[0]?.parts.at(-1)).toEqual({ type: "context", source: "vision", text });
  const [first, second] = world.provider.requests.map(({ body }) => body.messages[1]);
  expect(JSON.stringify(first)).toContain("A black cat on a mat.");
  expect(second).toEqual(first);
  using db = new DatabaseSync(join(world.folder, "evander.db"), { readOnly: true });
  const kept = db.prepare("select facts from journal order by id").get()?.["facts"];
  expect(kept).toContain('"type":"auxiliary-run","purpose":"vision","model":"eyes-1","exit":"text_response"');
});

test("[C5] a description that fails is told to the model and in the log, and the turn goes on", async () => {
  await using world = await bench(say("I could not see it."), say("Nor that."));
  await using eyes = await new FakeProvider([refuse(401, "no")]).listen();
  const lines: string[] = [];
  const onDiagnostic = ({ line }: { readonly line: string }): number => lines.push(line);
  for (const baseUrl of [eyes.baseUrl, "http://127.0.0.1:1/v1"]) {
    const vision = { model: "eyes-1", baseUrl, provider: "seer" };
    const bot = world.agent({ facts: BLIND, vision, onDiagnostic, retry: { maxWaitMs: 1 } });
    const result = await bot.run("what is this?", { attachments: [PICTURE] });
    expect(result.ok).toBe(true);
    expect(JSON.stringify(result.messages[0])).toContain("Nobody could describe the pictures of this message: ");
  }
  expect(lines.filter((line) => line.startsWith("vision "))).toHaveLength(2);
});

test("[C5] nobody is asked to describe what the model sees itself, or may see", async () => {
  await using world = await bench(say("a dot"), say("a dot"), say("no picture"));
  await using eyes = await new FakeProvider([]).listen();
  const vision = { model: "eyes-1", baseUrl: eyes.baseUrl };
  const bot = world.agent({ vision });
  await bot.run("what is this?", { attachments: [PICTURE] });
  const sees = world.agent({ vision, facts: { ...BLIND, input: ["text", "image"] } });
  await sees.run("what is this?", { attachments: [PICTURE] });
  await world.agent({ vision, facts: BLIND }).run("hello");
  expect(eyes.requests).toEqual([]);
});
