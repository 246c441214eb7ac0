import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PNG } from "pngjs";
import { expect, test } from "vitest";
import { type Egress, EgressRefusal, type EgressRequest } from "../../protocol/egress.ts";
import type { ToolContext } from "../../protocol/tool.ts";
import type { Place } from "../paths.ts";
import { imageTool } from "./image-generate.ts";
import type { PictureMaker, Took } from "./make-picture.ts";
import { type AboutPicture, visionTool } from "./vision-analyze.ts";

const DOT = PNG.sync.write(new PNG({ width: 3, height: 2 }));

interface Sent {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

/** A provider that answers every call in this way, and addresses of pictures. */
function provider(answer: { readonly status?: number; readonly json: unknown }, pages: Record<string, Buffer> = {}) {
  const sent: Sent[] = [];
  const fetched: EgressRequest[] = [];
  const egress: Egress = {
    request: (asked) => {
      fetched.push(asked);
      const body = pages[asked.url];
      if (body === undefined) return Promise.reject(new EgressRefusal("blocked", `${asked.url} may not be reached.`));
      return Promise.resolve({ status: 200, url: asked.url, headers: {}, body });
    },
    fetchFor: () => async (input, init) => {
      const request = new Request(input, init);
      const headers = Object.fromEntries(request.headers);
      sent.push({ url: request.url, headers, body: await request.json() });
      return Response.json(answer.json, { status: answer.status ?? 200 });
    },
  };
  return { sent, fetched, egress: () => Promise.resolve(egress) };
}

async function inFolder(work: (place: Place) => Promise<void>): Promise<void> {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "evander-pictures-")));
  try {
    await work({ cwd, home: cwd, guarded: [] });
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

const context: ToolContext = {
  callId: "c",
  sessionId: "s",
  history: [],
  signal: new AbortController().signal,
  output: () => undefined,
};

const MAKER = { provider: "painter", model: "brush-1", baseUrl: "https://painter.test/v1", apiKey: "sk-1" } as const;

const pictures = (
  place: Place,
  egress: () => Promise<Egress>,
  { maker = { ...MAKER, dialect: "openai" }, took = [] }: { maker?: PictureMaker; took?: (Took | undefined)[] } = {},
) =>
  imageTool({
    place,
    egress,
    maker: () => Promise.resolve(maker),
    account: (_maker, of) => {
      took.push(of);
      return Promise.resolve("what it cost is not known");
    },
    off: undefined,
  });

test("[E9] a picture of an OpenAI-like server is written under a name of its own, twice under two", async () => {
  await inFolder(async (place) => {
    const usage = { input_tokens: 3, output_tokens: 5 };
    const { sent, egress } = provider({ json: { data: [{ b64_json: DOT.toString("base64") }], usage } });
    const took: (Took | undefined)[] = [];
    const tool = pictures(place, egress, { took });
    const input = { prompt: "A cup of tea, please!" };
    const [path] = tool.changes?.(input, { asked: false }) ?? [];
    const first = await tool.run(input, context);
    await tool.run(input, context);
    const names = readdirSync(join(place.cwd, "pictures"));
    expect(names.toSorted()).toEqual([
      expect.stringMatching(/^a-cup-of-tea-please-[\da-f]{6}-2\.png$/u),
      expect.stringMatching(/^a-cup-of-tea-please-[\da-f]{6}\.png$/u),
    ]);
    expect(readFileSync(path ?? "").equals(DOT)).toBe(true);
    expect(first).toMatchObject([
      {
        type: "text",
        text: expect.stringMatching(/^Wrote pictures\/a-cup.*PNG, 3 x 2, .*by painter\/brush-1; what/u) as string,
      },
      { type: "image", url: expect.stringMatching(/^data:image\/png/u) as string },
    ]);
    expect(took).toEqual([
      { input: 3, output: 5 },
      { input: 3, output: 5 },
    ]);
    expect(sent[0]).toMatchObject({
      url: "https://painter.test/v1/images/generations",
      headers: { authorization: "Bearer sk-1" },
      body: { model: "brush-1", prompt: "A cup of tea, please!", n: 1, size: "1024x1024" },
    });
  });
});

test("[E9] a picture of Gemini comes in its reply, one that lies elsewhere is fetched through the same way out", async () => {
  await inFolder(async (place) => {
    const inlineData = { mimeType: "image/png", data: DOT.toString("base64") };
    const json = {
      candidates: [{ content: { parts: [{ text: "Here:" }, { inlineData }] } }],
      usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 1_290 },
    };
    const gemini = provider({ json });
    const took: (Took | undefined)[] = [];
    const maker = { ...MAKER, baseUrl: "https://google.test", model: "gemini-image", dialect: "gemini" } as const;
    await pictures(place, gemini.egress, { maker, took }).run(
      { prompt: "x", shape: "portrait", path: "g.png" },
      context,
    );
    expect(readFileSync(join(place.cwd, "g.png")).equals(DOT)).toBe(true);
    expect(took).toEqual([{ input: 7, output: 1_290 }]);
    expect(gemini.sent[0]).toMatchObject({
      url: "https://google.test/v1beta/models/gemini-image:generateContent",
      headers: { "x-goog-api-key": "sk-1" },
      body: { generationConfig: { imageConfig: { aspectRatio: "2:3" } } },
    });
    const elsewhere = provider({ json: { data: [{ url: "https://cdn.test/p" }] } }, { "https://cdn.test/p": DOT });
    await pictures(place, elsewhere.egress).run({ prompt: "x", path: "e.png" }, context);
    expect(readFileSync(join(place.cwd, "e.png")).equals(DOT)).toBe(true);
    expect(elsewhere.fetched[0]).toMatchObject({ purpose: "picture" });
  });
});

test("[E9] where no picture can be written none is made, and a refusal is told without the key", async () => {
  await inFolder(async (place) => {
    writeFileSync(join(place.cwd, "old.png"), "old");
    const refusing = provider({ status: 400, json: { error: { message: "Not this one.", code: "moderation" } } });
    const tool = pictures(place, refusing.egress);
    await expect(tool.run({ prompt: "x", path: "old.png" }, context)).rejects.toThrow("old.png exists, and no picture");
    await expect(tool.run({ prompt: "x", path: "../out.png" }, context)).rejects.toThrow("outside the working folder");
    expect(refusing.sent).toEqual([]);
    const told = "painter made no picture with brush-1 (status 400): Not this one.";
    await expect(tool.run({ prompt: "x", path: "new.png" }, context)).rejects.toThrow(told);
    const none = pictures(place, provider({ json: { data: [] } }).egress);
    await expect(none.run({ prompt: "x", path: "new.png" }, context)).rejects.toThrow("answered without a picture");
    const odd = pictures(place, provider({ json: { data: [{ b64_json: "AAAA" }] } }).egress);
    await expect(odd.run({ prompt: "x", path: "new.png" }, context)).rejects.toThrow("something else than a picture");
    expect(readdirSync(place.cwd)).toEqual(["old.png"]);
  });
});

test("[E9] vision_analyze takes files that may be read and addresses that may be reached, and nothing else", async () => {
  await inFolder(async (place) => {
    writeFileSync(join(place.cwd, "dot.png"), DOT);
    writeFileSync(join(place.cwd, "text.png"), "no picture");
    const { egress, fetched } = provider({ json: {} }, { "https://x.test/p": DOT });
    const seen: AboutPicture[] = [];
    const look = (asked: AboutPicture): Promise<string> => {
      seen.push(asked);
      return Promise.resolve("A dot.");
    };
    const tool = visionTool({ place, egress, look });
    expect(await tool.run({ image: "dot.png", question: "What?" }, context)).toBe("A dot.");
    expect(await tool.run({ image: "https://x.test/p" }, context)).toBe("A dot.");
    expect(seen.map(({ question }) => question)).toEqual(["What?", expect.stringContaining("What does it show")]);
    expect(fetched[0]).toMatchObject({ purpose: "tool" });
    const failing = (image: string): Promise<unknown> => Promise.resolve(tool.run({ image }, context));
    await expect(failing("http://127.0.0.1/p")).rejects.toThrow(
      "was not fetched: http://127.0.0.1/p may not be reached.",
    );
    await expect(failing("text.png")).rejects.toThrow("text.png is no PNG, JPEG, GIF or WebP picture.");
    await expect(failing("/etc/hostname")).rejects.toThrow("outside the working folder");
    expect(tool.ask?.({ image: "/etc/hostname" })).toContain("outside the working folder");
    const offline = visionTool({ place, egress, look, off: "the setting offline is on" });
    await expect(offline.run({ image: "https://x.test/p" }, context)).rejects.toThrow("the setting offline is on");
  });
});
