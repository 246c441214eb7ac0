import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { fakeProvider } from "../support/fake-provider.ts";
import { say } from "../support/wire-script.ts";
import { Place } from "./program.ts";

test("[F5] [X8] a conversation that stays open has the notes tidied once a day, beside its answers and on their account; what asks once does not", async () => {
  const place = new Place();
  const notes = join(place.home, "memory", "USER.md");
  const answers = Array.from({ length: 9 }, () => say("Yes.", { newHead: true }));
  /** The second message of the conversation is not answered before the notes are tidied, however long that takes. */
  const onRequest = async ({ index }: { readonly index: number }): Promise<void> => {
    for (let looks = 0; index === 7 && looks < 6_000 && !existsSync(notes); looks++) await setTimeout(20);
  };
  const small = await fakeProvider([say('{"add": {"user": ["Likes tea."]}}')]);
  const provider = await fakeProvider(answers, { onRequest });
  try {
    place.configure({ mine: provider, small }, ["dream: {model: small/m-1}"]);
    const said = Array.from({ length: 5 }, (_, at) => `${at} I like tea. ${"x".repeat(600)}`);
    await place.run(undefined, ["--config", "dream.when=asked"], { input: `${said.join("\n")}\n` });
    await place.run(undefined, ["-p", "alone"]);
    expect(small.requests).toHaveLength(0);
    expect((await place.run(undefined, [], { input: "one\ntwo\n" })).stdout).toBe("Yes.\nYes.\n");
    expect(readFileSync(notes, "utf8")).toBe("Likes tea.\n");
    expect(small.requests.map(({ body }) => body.model)).toEqual(["m-1"]);
    expect(small.requests[0]?.text).toContain("0 I like tea.");
    expect((await place.run(undefined, [], { input: "again\n" })).stdout).toBe("Yes.\n");
    expect(small.requests).toHaveLength(1);
    const { stdout } = await place.run(undefined, ["memory", "dream", "--log"]);
    expect(stdout).toContain("USER.md\n    + Likes tea.");
  } finally {
    await provider.close();
    await small.close();
    place.remove();
  }
});
