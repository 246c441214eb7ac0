import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { EndlessProvider } from "../support/endless-provider.ts";
import { callTools, say } from "../support/wire-script.ts";
import { atMost } from "./at-most.ts";
import { Place, resultOf } from "./program.ts";

const CALL = { id: "e1", name: "terminal", arguments: { command: "echo ran >> effects.log" } };
const GO = ["-p", "go", "--approve", "park", "--output", "json"];
const RESUME = ["session", "resume", "last", "--continue", "--output", "json"];

/** A turn stands still for a call that needs a person, and its process has ended. */
async function parked(use: (place: Place, baseUrl: string, receipt: () => string) => Promise<void>): Promise<void> {
  await atMost(async () => {
    const place = new Place();
    const provider = new EndlessProvider(({ body }) => (body.messages.length === 2 ? callTools([CALL]) : say("done")));
    const receipt = (): string =>
      String(provider.requests.at(-1)?.body.messages.find((message) => message.role === "tool")?.content);
    try {
      await provider.server.listen();
      const ended = await place.run(provider.server.baseUrl, GO);
      const result = resultOf(ended);
      assert.deepEqual([ended.code, result.exit.reason], [30, "parked_for_approval"], ended.stderr);
      assert.deepEqual(
        result.waitingFor.map(({ callId, name }) => [callId, name]),
        [[CALL.id, CALL.name]],
      );
      await use(place, provider.server.baseUrl, receipt);
      assert.deepEqual(provider.violations(), []);
    } finally {
      await provider.close();
      place.remove();
    }
  });
}

const effects = (place: Place): string | undefined => {
  try {
    return readFileSync(join(place.work, "effects.log"), "utf8");
  } catch {
    return undefined;
  }
};

test.concurrent("[E10] a parked call runs once when its turn is resumed with approval", async () => {
  await parked(async (place, baseUrl, receipt) => {
    const still = await place.run(baseUrl, [...RESUME, "--approve", "park"]);
    assert.deepEqual([still.code, effects(place)], [30, undefined], still.stderr);
    const resumed = await place.run(baseUrl, [...RESUME, "--approve", "all"]);
    assert.deepEqual([resumed.code, resultOf(resumed).answer, effects(place)], [0, "done", "ran\n"], resumed.stderr);
    assert.match(receipt(), /^Exit code 0/);
  });
});

test.concurrent("[E10] a parked call is denied when its turn is resumed with nobody to ask", async () => {
  await parked(async (place, baseUrl, receipt) => {
    const resumed = await place.run(baseUrl, [...RESUME, "--approve", "never"]);
    assert.deepEqual([resumed.code, resultOf(resumed).answer, effects(place)], [0, "done", undefined], resumed.stderr);
    assert.match(receipt(), /^Not run/);
  });
});

test.concurrent("[E10 G3] a parked turn is closed by the next prompt, and its call never runs", async () => {
  await parked(async (place, baseUrl, receipt) => {
    const next = await place.run(baseUrl, [
      "-p",
      "continue",
      "--resume",
      "last",
      "--approve",
      "all",
      "--output",
      "json",
    ]);
    assert.deepEqual([next.code, resultOf(next).answer, effects(place)], [0, "done", undefined], next.stderr);
    assert.match(receipt(), /^Cancelled|^Not run/);
  });
});

test.concurrent("[E10 B17] parked by one process, allowed by another, finished by a third", async () => {
  await parked(async (place, baseUrl, receipt) => {
    const { stdout } = await place.run(undefined, ["approve", "list", "--json"]);
    const [question] = JSON.parse(stdout) as { readonly approvalId: string; readonly name: string }[];
    assert.equal(question?.name, CALL.name);
    const allowed = await place.run(undefined, ["approve", "yes", question.approvalId]);
    assert.deepEqual([allowed.code, effects(place)], [0, undefined], allowed.stderr);
    assert.match(allowed.stderr, /next: .*evander session resume \S+ --continue/);
    const resumed = await place.run(baseUrl, RESUME);
    assert.deepEqual([resumed.code, resultOf(resumed).answer, effects(place)], [0, "done", "ran\n"], resumed.stderr);
    assert.match(receipt(), /^Exit code 0/);
    assert.match((await place.run(undefined, ["ps"])).stderr, /^No turn is running/);
  });
});
