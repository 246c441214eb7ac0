import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PNG } from "pngjs";
import { expect, test } from "vitest";
import { builtInTools } from "../../src/tools/built-in.ts";
import { bench, tool } from "../support/agent-in-folder.ts";
import { callTools, say } from "../support/wire-script.ts";

const DOT = PNG.sync.write(new PNG({ width: 1, height: 1 }));
const PICTURE = { type: "image", url: `data:image/png;base64,${DOT.toString("base64")}` } as const;

test("[C5] a picture that comes with a message is sent as it is, and kept", async () => {
  await using world = await bench(say("a dot"), say("still a dot"));
  const bot = world.agent();
  await bot.run("what is this?", { sessionId: "s", attachments: [PICTURE] });
  await bot.run("sure?", { sessionId: "s" });
  const [first, second] = world.provider.requests;
  const content = [
    { type: "text", text: "what is this?" },
    { type: "image_url", image_url: { url: PICTURE.url } },
  ];
  expect(first?.body.messages[1]).toEqual({ role: "user", content });
  expect(second?.body.messages[1]).toEqual({ role: "user", content });
  expect(bot.exportMessages("s")?.[0]).toEqual({ role: "user", content });
});

test("[C5] a large picture counts by what a model makes of it, not by its bytes", async () => {
  await using world = await bench(say("large"));
  const large = { type: "image", url: `data:image/png;base64,${"A".repeat(400_000)}` } as const;
  const result = await world.agent({ contextWindow: 16_000 }).run("what is this?", { attachments: [large] });
  expect(result.answer).toBe("large");
});

test("[C5] a model that is known not to see is told in words what it was sent", async () => {
  await using world = await bench(
    callTools([{ id: "a", name: "read_file", arguments: { path: "dot.png" } }]),
    say("no"),
  );
  writeFileSync(join(world.folder, "dot.png"), DOT);
  const facts = { provider: "custom", model: "fake-1", input: ["text"], quirks: [] } as const;
  const tools = builtInTools({ cwd: world.folder, home: world.folder, env: {} });
  await world.agent({ facts, tools }).run("what is this?", { attachments: [PICTURE] });
  const [, second] = world.provider.requests;
  const [, asked, , receipt] = second?.body.messages ?? [];
  expect(asked?.content).toContain("what is this?");
  for (const message of [asked, receipt])
    expect(message?.content).toContain("[image: image/png] (this model cannot see pictures)");
  expect(second?.text).not.toContain(DOT.toString("base64"));
});

test("[C5] [E1] the pictures that tools bring are kept with their receipts", async () => {
  await using world = await bench(callTools([{ id: "a", name: "shoot", arguments: {} }]), say("seen"));
  const shoot = tool("shoot", () => [{ type: "text", text: "the screen:" }, PICTURE]);
  const { messages } = await world.agent({ tools: [shoot] }).run("look");
  expect(messages[2]?.parts).toEqual([{ type: "text", text: "the screen:" }, PICTURE]);
});
