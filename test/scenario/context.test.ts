import assert from "node:assert/strict";
import { test } from "vitest";
import { fakeProvider } from "../support/fake-provider.ts";
import { say } from "../support/wire-script.ts";
import { atMost } from "./at-most.ts";
import { Place, resultOf } from "./program.ts";

const TOLD =
  /^go\n\n<context-data>\n\[From runtime\. [^\n]+\]\nTime: \d{4}-\d\d-\d\d \d\d:\d\d \w+day \(UTC[+-]\d\d:\d\d\)\n<\/context-data>$/u;

test("[A12] the program tells the model the time behind the message, and shows people the message alone", async () => {
  await atMost(async () => {
    const place = new Place();
    await using provider = await fakeProvider([say("One."), say("Two.")]);
    try {
      const { sessionId } = resultOf(await place.run(provider.baseUrl, ["-p", "go", "--output", "json"]));
      await place.run(provider.baseUrl, ["-p", "again", "--resume", "last"]);
      const [first, second] = provider.requests.map(({ body }) => body.messages);
      assert.match(String(first?.at(-1)?.content), TOLD);
      assert.deepEqual(second?.slice(0, 2), first);
      for (const words of [["show", String(sessionId)], ["list"]]) {
        const { stdout } = await place.run(provider.baseUrl, ["session", ...words]);
        assert.ok(stdout.includes("go") && !stdout.includes("Time:"), stdout);
      }
    } finally {
      place.remove();
    }
  });
});
