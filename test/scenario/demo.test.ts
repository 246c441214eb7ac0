import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TurnPicture } from "../../src/session/picture/picture.ts";
import { Place, resultOf } from "./program.ts";

/** A temporary folder of its own, so that what is left behind is seen. */
function placeWithTemporary(): { readonly place: Place; readonly temporary: string } {
  const place = new Place();
  const temporary = join(place.folder, "tmp");
  mkdirSync(temporary);
  return { place, temporary };
}

test("[X2] the tour is one whole turn: tools side by side, an edit, a check, a retry, a steer, the end, the cost, the picture", async () => {
  const { place, temporary } = placeWithTemporary();
  try {
    const env = { TMPDIR: temporary };
    const { code, stdout, stderr } = await place.run(undefined, ["demo"], { env });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    for (const line of [
      "no language model.",
      "! HTTP 429",
      "… trying again in 1 s",
      "• write menu.md",
      "• $ sh check.sh",
      'the user adds: Also: how often does "Oolong" appear?',
    ])
      expect(stderr).toContain(line);
    for (const line of [
      "not a language model",
      "-| Oolnog  | 5     |\n+| Oolong  | 5     |",
      "The check passed (`sh check.sh`)",
      "`Oolong` appears 2 times",
      "exit: text_response (0).",
      "cost: $0, nothing is billed",
      "429 rate_limit",
      "+ steer, Exit code",
      "# model  = tool  . wait  ^ arrival",
    ])
      expect(stdout).toContain(line);
    expect(readdirSync(temporary)).toEqual([]);
    expect(readdirSync(place.work)).toEqual([]);

    const { stdout: drawn } = await place.run(undefined, ["turn", "show", "--picture", "--json"]);
    const { rows, retries } = JSON.parse(drawn) as TurnPicture;
    expect(retries).toBe(1);
    const first = rows.filter((row) => row.type === "tool" && row.iteration === 1);
    expect(first.length).toBeGreaterThan(1);
    expect(new Set(first.map((row) => "startMs" in row && row.startMs)).size).toBe(1);
    const wait = rows.find((row) => row.type === "wait");
    // Times are those of commits: the later the first one comes on a busy machine, the shorter the second looks.
    expect((wait?.endMs ?? 0) - (wait?.startMs ?? 0)).toBeGreaterThan(0);
  } finally {
    place.remove();
  }
});

test("[X2] [J7] as JSON the tour is the one result, whose cost is nothing; as jsonl its events and the result", async () => {
  const { place, temporary } = placeWithTemporary();
  try {
    const env = { TMPDIR: temporary };
    const json = await place.run(undefined, ["demo", "--json"], { env });
    expect(json.stderr).toBe("");
    expect(resultOf(json)).toMatchObject({
      ok: true,
      retries: 1,
      pendingSteer: [],
      provider: "practice",
      cost: { usd: 0, status: "included", source: "practice" },
      exit: { reason: "text_response", code: 0 },
    });
    const jsonl = await place.run(undefined, ["demo", "--output", "jsonl"], { env });
    const events = jsonl.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; seq: number });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at));
    expect(events.map(({ type }) => type)).toContain("steer-placed");
    expect(events.at(-1)?.type).toBe("result");
    expect(readdirSync(temporary)).toEqual([]);
  } finally {
    place.remove();
  }
});

test("[X2] the tour speaks Chinese where it is asked to, and needs neither a sound config nor a model", async () => {
  const { place, temporary } = placeWithTemporary();
  try {
    mkdirSync(join(place.home, "config"), { recursive: true });
    writeFileSync(join(place.home, "config", "config.yaml"), "model: [");
    const env = { TMPDIR: temporary, EVANDER_OFFLINE: "1", OPENAI_API_KEY: "sk-nobody" };
    const { code, stdout, stderr } = await place.run(undefined, ["demo", "--lang", "zh"], { env });
    expect(code).toBe(0);
    expect(stderr).toContain("没有任何内容离开本机");
    expect(stdout).toContain("费用: $0");
    expect(stdout).toContain("# 模型");
  } finally {
    place.remove();
  }
});

test("[X2] [J1] where nothing can be kept, or no copy made, the tour says so and ends with 73", async () => {
  const { place, temporary } = placeWithTemporary();
  try {
    const blocked = join(place.folder, "file");
    writeFileSync(blocked, "");
    const noHome = await place.run(undefined, ["demo", "--json"], {
      home: join(blocked, "home"),
      env: { TMPDIR: temporary },
    });
    expect(noHome.code).toBe(73);
    expect(resultOf(noHome).error?.code).toBe("store_unavailable");
    const noTemporary = await place.run(undefined, ["demo"], { env: { TMPDIR: join(blocked, "tmp") } });
    expect(noTemporary.code).toBe(73);
    expect(noTemporary.stderr).toContain("point TMPDIR to a folder that can be written");
    expect(readdirSync(temporary)).toEqual([]);
  } finally {
    place.remove();
  }
});

test("[X2] [B15] a signal stops the tour properly, and nothing is left behind", async () => {
  const { place, temporary } = placeWithTemporary();
  try {
    const running = place.start(undefined, ["demo", "--output", "jsonl"], { env: { TMPDIR: temporary } });
    await running.shows('"type":"retry-scheduled"');
    running.child.kill("SIGINT");
    const { code, stdout } = await running.ended;
    expect(code).toBe(130);
    expect(stdout.trimEnd().split("\n").at(-1)).toContain('"type":"result"');
    // What goes on with it asks the same model: nobody has named one.
    expect(stdout).toMatch(/"command":"evander -p \\"continue\\" --resume \S+ --model practice"/u);
    expect(readdirSync(temporary)).toEqual([]);
  } finally {
    place.remove();
  }
});
