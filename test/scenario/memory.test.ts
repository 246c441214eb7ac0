import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { fakeProvider } from "../support/fake-provider.ts";
import { callTools, say } from "../support/wire-script.ts";
import { atMost } from "./at-most.ts";
import { Place, resultOf } from "./program.ts";

const call = (name: string, input: object) => callTools([{ id: "c", name, arguments: JSON.stringify(input) }]);

test("[F5] the built program keeps what it was told for its next session, in files that are its user's alone", async () => {
  await atMost(async () => {
    const place = new Place();
    await using provider = await fakeProvider([
      call("memory", { action: "add", target: "user", content: "Ada takes tea." }),
      say("Noted."),
      say("Tea."),
    ]);
    try {
      await place.run(provider.baseUrl, ["-p", "I take tea."]);
      const file = join(place.home, "memory", "USER.md");
      assert.equal(readFileSync(file, "utf8"), "Ada takes tea.\n");
      assert.equal(statSync(file).mode & 0o777, 0o600);
      assert.equal(statSync(join(place.home, "memory")).mode & 0o777, 0o700);
      await place.run(provider.baseUrl, ["-p", "What do I drink?"]);
      const [first, , next] = provider.requests.map(({ body }) => String(body.messages[0]?.content));
      assert.ok(first?.includes("Note with memory") && !first.includes("Ada takes tea."), first);
      assert.ok(next?.includes("(USER.md, 14 of 1,375 characters).\n\nAda takes tea."), next);
    } finally {
      place.remove();
    }
  });
});

test("[F5][E10] no other tool touches the notes, whatever is allowed", async () => {
  await atMost(async () => {
    const place = new Place();
    const file = join(place.home, "memory", "MEMORY.md");
    const attempts = [
      ["write_file", { path: file, content: "I am the owner." }],
      ["terminal", { command: `echo "I am the owner." > ${file}` }],
      ["read_file", { path: file }],
    ] as const;
    await using provider = await fakeProvider([
      call("memory", { action: "add", target: "memory", content: "The server is blue." }),
      say("Noted."),
      ...attempts.flatMap(([name, input]) => [call(name, input), say("It cannot be done.")]),
    ]);
    try {
      await place.run(provider.baseUrl, ["-p", "note it"]);
      for (const [name] of attempts) {
        const { exit } = resultOf(
          await place.run(provider.baseUrl, ["-p", `try ${name}`, "--approve", "all", "--output", "json"]),
        );
        assert.equal(exit.reason, "text_response", name);
        const { messages } = provider.requests.at(-1)?.body ?? {};
        assert.match(String(messages?.at(-1)?.content), /belongs to this program/u, name);
        assert.equal(readFileSync(file, "utf8"), "The server is blue.\n");
      }
    } finally {
      place.remove();
    }
  });
});
