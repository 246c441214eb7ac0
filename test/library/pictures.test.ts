import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PNG } from "pngjs";
import { expect, test } from "vitest";
import { builtInTools } from "../../src/tools/built-in.ts";
import { bench, tool } from "../support/agent-in-folder.ts";
import { loadDialect } from "../../src/model/dialects.ts";
import { failureOfStatus } from "../../src/model/failure/refusal.ts";
import { callTools, refuse, say } from "../support/wire-script.ts";

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

test("[C5] a picture of more than 50 MB is refused before anything is sent, with the limit and what helps", async () => {
  await using world = await bench();
  const huge = { type: "image", url: `data:image/png;base64,${"A".repeat(80_000_000)}` } as const;
  const bot = world.agent();
  const sent = { attachments: [huge] };
  for (const result of [
    await bot.run("what is this?", sent),
    await bot.runSpec({ prompt: "what is this?", ...sent }),
  ]) {
    expect(result.exit).toMatchObject({ reason: "usage_error", code: 2 });
    expect(result.error?.message).toBe(
      "A picture of the message has 60 MB, and a picture may have 50 MB: save it smaller, or as JPEG, and send that.",
    );
  }
  expect(world.provider.requests).toEqual([]);
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

test("[C5] a model that refuses pictures is asked again with words in their place, for the rest of the session", async () => {
  const no = refuse(400, { error: { message: "fake-1 is not a multimodal model" } });
  await using world = await bench(no, say("no idea", { newHead: true }), say("still none"));
  const bot = world.agent();
  const first = await bot.run("what is this?", { sessionId: "s", attachments: [PICTURE] });
  expect(first).toMatchObject({ answer: "no idea", exit: { reason: "text_response" } });
  expect(world.facts().map(({ type }) => type)).toContain("request-adjusted");
  await bot.run("sure?", { sessionId: "s" });
  const pictures = world.provider.requests.map(({ text }) => text.includes(DOT.toString("base64")));
  expect(pictures).toEqual([true, false, false]);
  expect(world.provider.requests[1]?.text).toContain("[image: image/png] (this model cannot see pictures)");
  expect(bot.exportMessages("s")?.[0]?.content).toContainEqual({ type: "image_url", image_url: { url: PICTURE.url } });
});

test("[C5] a picture that a server cannot read blocks no session: it is told in words, and a new one is sent", async () => {
  const no = refuse(400, { error: { type: "invalid_request_error", message: "Could not process image" } });
  const [first, second, third] = ["no idea", "neither", "good evening"];
  await using world = await bench(
    no,
    say(first, { newHead: true }),
    say("still none"),
    no,
    say(second, { newHead: true }),
    say(third),
  );
  const bot = world.agent();
  const run = { sessionId: "s", attachments: [PICTURE] };
  expect(await bot.run("what is this?", run)).toMatchObject({ answer: first, exit: { reason: "text_response" } });
  await bot.run("sure?", { sessionId: "s" });
  expect(await bot.run("and this?", run)).toMatchObject({ answer: second });
  expect(world.facts()).toContainEqual(expect.objectContaining({ adjustment: { pictures: { from: 5 } } }));
  await bot.close();
  expect(await world.agent().run("hello", { sessionId: "s" })).toMatchObject({ answer: third });
  const pictures = world.provider.requests.map(({ text }) => text.split(DOT.toString("base64")).length - 1);
  expect(pictures).toEqual([1, 0, 0, 1, 0, 0]);
  expect(world.provider.requests[1]?.text).toContain("[image: image/png] (it could not be read as a picture");
});

test.each([
  [
    "anthropic_messages",
    { error: { type: "invalid_request_error", message: "messages.0.content.1.image.source: Could not process image" } },
  ],
  [
    "anthropic_messages",
    { error: { type: "invalid_request_error", message: "Unable to download the file. Please verify the URL." } },
  ],
  [
    "chat_completions",
    { error: { message: "The image data you provided does not represent a valid image. Please check it." } },
  ],
  ["chat_completions", { error: { code: "image_parse_error", message: "Bad input." } }],
  [
    "chat_completions",
    { error: { message: "You uploaded an unsupported image. Please make sure your image is valid." } },
  ],
  ["chat_completions", { error: { message: "unsupported image format" } }],
  ["codex_responses", { error: { code: "invalid_image_format", message: "Bad input." } }],
  [
    "codex_responses",
    { error: { code: "invalid_image_url", message: "Error while downloading https://e.test/a.png." } },
  ],
  ["bedrock_converse", { message: "The model returned the following errors: Could not process image" }],
  [
    "gemini",
    { error: { code: 400, status: "INVALID_ARGUMENT", message: "Unable to process input image. Please retry." } },
  ],
  ["gemini", { error: { code: 400, status: "INVALID_ARGUMENT", message: "Provided image is not valid." } }],
] as const)("[C5] in %s, %j says that pictures cannot be read, not that the model sees none", async (mode, body) => {
  const { failureOfStatus } = await loadDialect(mode);
  const failure = failureOfStatus({ status: 400, headers: {}, body: JSON.stringify(body), where: "h", nowMs: 0 });
  expect(failure).toMatchObject({ refusesThesePictures: true });
  expect(failure).not.toHaveProperty("refusesPictures");
});

test("[C5] a request without pictures is not asked again because a server speaks of them", async () => {
  await using world = await bench(refuse(400, { error: { message: "images are not supported" } }));
  expect((await world.agent().run("hi")).ok).toBe(false);
  expect(world.provider.requests).toHaveLength(1);
});

test.each([
  [404, "No endpoints found that support image input", true],
  [500, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj", true],
  [400, "Failed to deserialize: unknown variant `image_url`, expected `text`", true],
  [400, "Invalid content type. image_url is only supported by certain models.", true],
  [400, "this model does not support vision", true],
  [400, "messages.0: image exceeds 5 MB maximum", false],
  [400, "Unsupported parameter: temperature", false],
])("[C5] %i %s: that pictures are refused is %s", (status, message, refuses) => {
  const failure = failureOfStatus({
    status,
    headers: {},
    body: JSON.stringify({ error: { message } }),
    where: "h",
    nowMs: 0,
  });
  expect(failure.refusesPictures === true).toBe(refuses);
});

test("[C5] [E1] the pictures that tools bring are kept with their receipts", async () => {
  await using world = await bench(callTools([{ id: "a", name: "shoot", arguments: {} }]), say("seen"));
  const shoot = tool("shoot", () => [{ type: "text", text: "the screen:" }, PICTURE]);
  const { messages } = await world.agent({ tools: [shoot] }).run("look");
  expect(messages[2]?.parts).toEqual([{ type: "text", text: "the screen:" }, PICTURE]);
});
