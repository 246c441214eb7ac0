import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Answer, anyServer } from "../dialects/any-server.ts";
import { calls, replies, says, thinks } from "../dialects/script.ts";
import { sideOf, SUBJECTS } from "../dialects/subjects.ts";
import { atMost } from "./at-most.ts";
import { Place } from "./program.ts";
import { unmarked } from "../support/marks.ts";

const SECRET = "k3yThatNobodyMaySee/0123456789+abc";

/** As each dialect shows its key: a key, a token, and keys that sign. */
const KEYS: Readonly<Partial<Record<string, readonly string[]>>> = {
  anthropic_messages: [`sk-ant-api03-${SECRET}`, `sk-ant-oat01-${SECRET}`],
  bedrock_converse: [SECRET, `AKIDEXAMPLE:${SECRET}`],
};

const ROWS = SUBJECTS.flatMap(({ wire: { mode }, model }) =>
  (KEYS[mode] ?? [`sk-${SECRET}`]).map((key) => ({ mode, model, key, begins: key.slice(0, 9) })),
);

/** A server that says the key wherever it can: in a body, in a code, in a header, and under a status that says all is well. */
const echoes: readonly Answer[] = [
  { status: 401, headers: { "content-type": "application/json" }, body: errorOf(`Incorrect API key: ${SECRET}`) },
  { status: 400, headers: { "x-amzn-errortype": `Bad${SECRET}` }, body: JSON.stringify({ message: `no ${SECRET}` }) },
  { status: 302, headers: { location: `https://else.test/${SECRET}/v1` }, body: "" },
  { headers: { "content-type": "application/json" }, body: errorOf(`quota of ${SECRET}`) },
];

function errorOf(message: string): string {
  return JSON.stringify({ error: { message, type: "invalid_request_error", code: message } });
}

/** The key in pieces of three characters: no delta has the whole of it. */
const inThrees = (text: string): readonly string[] => text.match(/[^]{1,3}/gu) ?? [];

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

test.for(ROWS)(
  "[J3] a key that a server echoes is shown and kept nowhere: $mode, $begins…",
  async ({ mode, model, key }) => {
    await atMost(async () => {
      let asked = 0;
      const shown = (answer: Answer): Answer => JSON.parse(JSON.stringify(answer).replaceAll(SECRET, key)) as Answer;
      await using server = await anyServer(() => shown(echoes[asked++ % echoes.length] ?? { body: "" }));
      const place = new Place();
      try {
        mkdirSync(place.home);
        const provider = `providers:\n  mine:\n    baseUrl: ${server.origin}/v1\n    api: ${mode}\n    apiKey: { env: MINE }\n`;
        writeFileSync(
          join(place.home, "config.yaml"),
          `model: "${model}"\nlog: { level: debug }\nretry: { baseMs: 1, maxMs: 2 }\n${provider}`,
        );
        const env = { MINE: key };
        const outputs: string[] = [];
        const run = async (...args: readonly string[]): Promise<void> => {
          const { stdout, stderr } = await place.run(undefined, args, { env });
          outputs.push(stdout, stderr);
        };
        for (const _ of echoes) await run("-p", "hi", "--output", "json");
        for (const args of [["turn", "show", "--raw", "last"], ["turn", "explain", "last"], ["logs"]])
          await run(...args);
        expect(asked).toBeGreaterThanOrEqual(echoes.length);
        const kept = filesBelow(place.folder).map((path) => readFileSync(path, "latin1"));
        expect(kept.length).toBeGreaterThan(1);
        expect(unmarked(outputs.join(""))).toContain("***");
        for (const text of [...outputs, ...kept]) expect(text).not.toContain(SECRET);
      } finally {
        place.remove();
      }
    });
  },
);

test.for(ROWS)(
  "[J3] a key in what a model thinks, says and calls, or a tool reads, is shown and kept nowhere: $mode, $begins…",
  async ({ mode, model, key }) => {
    await atMost(async () => {
      const { wire } = sideOf(mode);
      const told = [
        thinks(inThrees(`I was called with ${key}, it seems.`)),
        { type: "text", text: inThrees(`Your key is ${key}, <think>${key}</think>and once more: ${key}`) } as const,
        calls("todo", { todos: [{ id: "1", content: `hide ${key}`, status: "pending" }] }),
        calls("read_file", { path: "notes.txt" }),
        calls(`tell_${key}`, {}, { id: key }),
      ];
      const acts = [replies(told), says([`All told: ${key.slice(0, 20)}`, key.slice(20)])];
      let asked = 0;
      await using server = await anyServer(() => {
        const act = acts[asked++ % acts.length] ?? says("");
        const frames = wire.events(act, { model, streams: true }).map((event) => wire.frame(event, {}));
        return { headers: { "content-type": wire.contentType }, body: Buffer.concat(frames) };
      });
      const place = new Place();
      try {
        mkdirSync(place.home);
        const provider = `providers:\n  mine:\n    baseUrl: ${server.origin}/v1\n    api: ${mode}\n    apiKey: { env: MINE }\n`;
        writeFileSync(join(place.home, "config.yaml"), `model: "${model}"\nlog: { level: debug }\n${provider}`);
        const notes = join(place.work, "notes.txt");
        writeFileSync(notes, `the key: ${key}\n`);
        const outputs: string[] = [];
        const run = async (...args: readonly string[]): Promise<void> => {
          const { stdout, stderr } = await place.run(undefined, args, { env: { MINE: key } });
          outputs.push(stdout, stderr);
        };
        for (const output of ["text", "json", "jsonl"]) await run("-p", "hi", "--output", output);
        for (const args of [
          ["turn", "show", "--raw", "last"],
          ["turn", "show", "last"],
          ["session", "export", "last"],
        ])
          await run(...args);
        expect(asked).toBe(6);
        expect(unmarked(outputs.join(""))).toContain("Your key is ***, and once more: ***");
        expect(unmarked(outputs.join(""))).toContain("All told: ***");
        expect(unmarked(outputs.join(""))).toContain("the key: ***");
        const kept = filesBelow(place.folder).filter((path) => path !== notes);
        for (const text of [...outputs, ...kept.map((path) => readFileSync(path, "latin1"))])
          expect(text).not.toContain(SECRET);
      } finally {
        place.remove();
      }
    });
  },
);
