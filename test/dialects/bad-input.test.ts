import { expect, test } from "vitest";
import { loadDialect } from "../../src/model/dialects.ts";
import { openEndpoint } from "../../src/model/endpoint.ts";
import { listModels } from "../../src/model/models.ts";
import { resolveProvider } from "../../src/model/provider.ts";
import { createTransport } from "../../src/model/transport.ts";
import type { ProviderAnswer } from "../../src/protocol/provider.ts";
import type { ModelReply } from "../../src/protocol/ports.ts";
import { type Answer, anyServer, askAt, goodAnswer } from "./any-server.ts";
import type { Side } from "./client.ts";
import { says } from "./script.ts";
import { SUBJECTS } from "./subjects.ts";

/** Where the fake of a dialect listens for a streamed reply. */
function callPath({ dialect, wire, model }: Side): string {
  const endpoint = openEndpoint(`http://127.0.0.1:9${wire.base}`);
  endpoint.close();
  return endpoint.place(dialect.route({ model, streaming: true }).path);
}

/** Below no base URL but this one, the dialect's server has its calls; everything else is not found. */
const only =
  (side: Side, missing: Answer = NOT_FOUND) =>
  (path: string): Answer =>
    path.replace(/\?.*$/, "") === callPath(side) ? goodAnswer(side) : missing;

const NOT_FOUND: Answer = { status: 404, headers: { "content-type": "text/plain" }, body: "404 page not found" };
const HTML = { "content-type": "text/html" };

const wordsOf = (reply: ModelReply): string => {
  if (reply.type !== "failure") throw new Error(`It was taken for ${JSON.stringify(reply)}`);
  const { message } = reply.failure;
  if (/[\n<]|\.\s+\w/.test(message)) throw new Error(`It is more than one plain sentence: ${message}`);
  return message;
};

const WRONG_COUNTS = [-5, 1e300, 12.5];

test.for(SUBJECTS)("[C16][X4] $wire.mode: counts that are none are not read as zero", async (side) => {
  for (const output of WRONG_COUNTS) {
    const act = says("Hello.", { usage: { input: 20, output } });
    const frames = side.wire
      .events(act, { model: side.model, streams: true })
      .map((event) => side.wire.frame(event, {}));
    const answer = { headers: { "content-type": side.wire.contentType }, body: Buffer.concat(frames) };
    await using server = await anyServer(() => answer);
    const reply = await askAt(side, `${server.origin}${side.wire.base}`);
    expect(reply).toMatchObject({ type: "message" });
    expect(reply).not.toHaveProperty("usage");
  }
});

const versioned = SUBJECTS.filter(({ dialect }) => dialect.version !== undefined);

test.for(SUBJECTS)(
  "[C2] $wire.mode: a base URL works with its version and without, with a slash behind it, and as a whole address",
  async (side) => {
    const bases = ["", "/", side.wire.base, `${side.wire.base}/`, callPath(side), `${callPath(side)}/`];
    for (const base of bases) {
      await using server = await anyServer(only(side));
      expect(await askAt(side, `${server.origin}${base}`), base).toMatchObject({ type: "message" });
    }
  },
);

test.for(versioned)("[C2] a version that the base URL lacks is looked for once ($dialect.mode)", async (side) => {
  await using server = await anyServer(only(side));
  await askAt(side, server.origin, 3);
  const [bare, whole] = [callPath(side).replace(/^\/v1/, ""), callPath(side)];
  expect(server.paths).toEqual([bare, whole, whole, whole]);
});

test.for(versioned)(
  "[C2] the models are listed below a base URL that lacks its version ($dialect.mode)",
  async (side) => {
    const list = { headers: { "content-type": "application/json" }, body: '{"data":[{"id":"m"}]}' };
    await using server = await anyServer((path) => (path === "/v1/models" ? list : NOT_FOUND));
    const endpoint = openEndpoint(server.origin);
    try {
      expect(await listModels(endpoint, side.dialect, "key")).toEqual({ type: "listed", models: ["m"] });
    } finally {
      endpoint.close();
    }
  },
);

test.for(SUBJECTS)(
  "[C2] $wire.mode: a server without this API is told by the path it lacks and what the base URL should be",
  async (side) => {
    for (const status of [404, 405]) {
      await using server = await anyServer(() => ({ ...NOT_FOUND, status }));
      const bare = wordsOf(await askAt(side, server.origin));
      expect(bare).toMatch(new RegExp(`^HTTP ${status} from 127.0.0.1:\\d+: 404 page not found; it has n`));
      expect(bare).toContain(callPath(side));
      expect(bare).toMatch(/set the base URL to the address below which \/\S+ lies\.$/);
      const above = wordsOf(await askAt(side, `${server.origin}/api/v2`));
      expect(above).toMatch(/it has no \/api\/v2\/\S+: set the base URL to .* lies, perhaps the same without \/v2\.$/);
    }
  },
);

test("[D1] a model that is not there is no matter of the base URL", async () => {
  for (const side of SUBJECTS) {
    const body = JSON.stringify({ error: { message: 'model "fake-1" not found, try pulling it first' } });
    await using server = await anyServer(() => ({ status: 404, headers: {}, body }));
    expect(wordsOf(await askAt(side, server.origin))).not.toMatch(/base URL/);
    expect(server.paths).toHaveLength(1);
  }
});

test.for(SUBJECTS)(
  "[C7] $wire.mode: pages, redirects, wrong types and nothing at all are told in one sentence with what to do",
  async (side) => {
    const page = "<!DOCTYPE html><html><head><title>Sign in</title></head><body><p>Who are you?</p></body></html>";
    const bare = side.dialect.version === undefined ? "check the base URL" : "the base URL probably lacks /v1";
    const rows: readonly (readonly [Answer, RegExp])[] = [
      [{ headers: HTML, body: page }, /^127\S+ sent a web page instead of a reply; (.*)\.$/],
      [
        { headers: { "content-type": "text/plain" }, body: "It works!" },
        /^127\S+ sent something .* no reply .*; (.*)\.$/,
      ],
      [{ headers: { "content-type": "application/json" }, body: '{"ok":1}' }, /^127\S+ sent something .*; (.*)\.$/],
      [
        { headers: { "content-type": "image/png" }, body: Buffer.from("89504e470d0a1a0a", "hex") },
        /^127\S+ sent .*; (.*)\.$/,
      ],
      [{ body: "" }, /^127\S+ ended its reply without sending anything; (.*)\.$/],
    ];
    for (const [answer, told] of rows) {
      await using server = await anyServer(() => answer);
      expect(told.exec(wordsOf(await askAt(side, server.origin)))?.[1], String(told)).toBe(bare);
      expect(told.exec(wordsOf(await askAt(side, `${server.origin}/v1`)))?.[1]).toBe("check the base URL");
    }
    const moved = { status: 308, headers: { location: "https://else.test/v1/x?key=key" }, body: "" };
    const behind = { status: 502, headers: HTML, body: page.replace("Sign in", "502 Bad Gateway") };
    for (const [answer, told] of [
      [
        moved,
        /^127\S+ redirects to https:\/\/else\.test\/v1\/x \(HTTP 308\); set the base URL to where the API really is\.$/,
      ],
      [
        behind,
        /^HTTP 502 from 127\S+: 502 Bad Gateway; a proxy answered in place of the server: see whether that runs$/,
      ],
    ] as const) {
      await using server = await anyServer(() => answer);
      expect(wordsOf(await askAt(side, server.origin))).toMatch(told);
    }
  },
);

test("[C7] a good reply under a wrong content type is read all the same", async () => {
  for (const side of SUBJECTS) {
    await using server = await anyServer(() => ({ ...goodAnswer(side), headers: { "content-type": "text/html" } }));
    expect(await askAt(side, server.origin)).toMatchObject({ type: "message" });
  }
});

const KEYS: readonly (readonly [key: string, told: RegExp])[] = [
  ["sk-\u0430bcdef", /character 4 is U\+0430, a Cyrillic letter/],
  ["sk-abc\u200Bdef", /character 7 is U\+200B, which is invisible/],
  ["\u201Csk-abcdef\u201D", /character 1 is U\+201C, a curly quote/],
  ["sk\u2013abcdef", /character 3 is U\+2013, a dash that is no hyphen/],
  ["sk-abcdef\u00A0x", /character 10 is U\+00A0, white space/],
  ["sk-abc\ndef", /character 7 is U\+000A, a line break/],
  ["sk-\uFF41bcdef", /character 4 is U\+FF41, a full-width character/],
  ["sk-\u03BFbcdef", /character 4 is U\+03BF, a Greek letter/],
  ["sk-abc\u{1D41A}def", /character 7 is U\+1D41A, which no key has/],
];

const isNone = (answer: ProviderAnswer): answer is Extract<ProviderAnswer, { type: "none" }> => answer.type === "none";

test.for(KEYS)(
  "[C1] the strange character of a key is named by place and code point, never the key: %j",
  async ([key, told]) => {
    const dialect = await loadDialect("chat_completions");
    const open = (): unknown => createTransport({ dialect, provider: "p", apiKey: key, baseUrl: "http://127.0.0.1:9" });
    expect(open).toThrow(told);
    expect(open).not.toThrow(/abc|bcdef/);
    for (const name of ["OPENAI", "ANTHROPIC", "GEMINI"]) {
      const env = { [`${name}_API_KEY`]: key };
      const answer = await resolveProvider({ env, provider: name.toLowerCase(), model: "m" });
      if (!isNone(answer)) throw new Error("it was taken");
      expect(answer).toMatchObject({ cause: "bad_key", message: { en: expect.stringMatching(told) as string } });
      expect(JSON.stringify(answer)).toContain(`${name}_API_KEY cannot be used as a key`);
      expect(JSON.stringify(answer)).not.toMatch(/abc|bcdef/);
    }
  },
);

test.for(SUBJECTS)(
  "[J3] a key that a server echoes when it is asked for its models is not shown: $wire.mode",
  async ({ wire }) => {
    const secret = "k3yThatNobodyMaySee/0123456789+abc";
    const keys = wire.mode === "bedrock_converse" ? [secret, `AKIDEXAMPLE:${secret}`] : [secret];
    const body = JSON.stringify({ error: { message: `Bad key ${secret}` }, message: `Bad key ${secret}` });
    await using server = await anyServer(() => ({
      status: 401,
      headers: { "content-type": "application/json" },
      body,
    }));
    for (const key of keys) {
      const mine = { name: "mine", baseUrl: server.origin, api: wire.mode, place: "config", readKey: async () => key };
      const answer = await resolveProvider({ env: {}, configured: [mine] });
      expect(answer).toMatchObject({ type: "none", cause: "key_rejected" });
      expect(JSON.stringify(answer)).toContain("Bad key ***");
    }
  },
);

test("[C1] a line break behind a key is no part of it", async () => {
  const env = { OPENAI_API_KEY: "sk-abcdef\n" };
  expect(await resolveProvider({ env, model: "m" })).toMatchObject({ type: "found", apiKey: "sk-abcdef" });
});
