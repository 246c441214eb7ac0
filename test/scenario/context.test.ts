import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import type { ContextReport } from "../../src/session/context-report.ts";
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

test("[A7] the built program tells a trusted project's instructions, and the same bytes again in a new process", async () => {
  await atMost(async () => {
    const place = new Place();
    await using provider = await fakeProvider([say("One."), say("Two."), say("Three.")]);
    try {
      writeFileSync(join(place.work, "AGENTS.md"), "Run npm test first.");
      mkdirSync(join(place.home, "skills", "tidy"), { recursive: true });
      writeFileSync(
        join(place.home, "skills", "tidy", "SKILL.md"),
        "---\nname: tidy\ndescription: Tidies\n---\nDo it.",
      );
      await place.run(undefined, ["trust", "add", place.work, "--yes"]);
      await place.run(provider.baseUrl, ["-p", "one"]);
      writeFileSync(join(place.work, "AGENTS.md"), "Run nothing.");
      await place.run(provider.baseUrl, ["-p", "two", "--resume", "last"]);
      await place.run(provider.baseUrl, ["-p", "three"]);
      const [first, second, third] = provider.requests.map(({ body }) => String(body.messages[0]?.content));
      assert.ok(first?.includes("Run npm test first."), first);
      assert.ok(first?.includes("- tidy: Tidies\n"), first);
      assert.equal(second, first);
      assert.ok(third?.includes("Run nothing."), third);
    } finally {
      place.remove();
    }
  });
});

test("[A7][X9] context show works before there is a model, a session or a store", async () => {
  await atMost(async () => {
    const place = new Place();
    try {
      const { code, stdout, stderr } = await place.run(undefined, ["context", "show", "--json"]);
      assert.equal(code, 0, stderr);
      const report = JSON.parse(stdout) as ContextReport;
      assert.equal(report.model, null);
      assert.ok(report.tools.names.includes("read_file") && report.tokens > 100, stdout);
      assert.ok(!existsSync(join(place.home, "evander.db")));
    } finally {
      place.remove();
    }
  });
});
