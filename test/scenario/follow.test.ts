import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fakeProvider } from "../support/fake-provider.ts";
import { callTools, say } from "../support/wire-script.ts";
import { Place, type Running } from "./program.ts";

/** Resolves when stderr holds `text`, which it is told anew what it has by then. */
async function tells({ child, ended }: Running, text: string): Promise<void> {
  let seen = "";
  const told = new Promise<void>((resolve) => {
    child.stderr?.on("data", (chunk: string) => {
      seen += chunk;
      if (seen.includes(text)) resolve();
    });
  });
  const never = ended.then(({ stdout, stderr }) => {
    if (!stderr.includes(text)) throw new Error(`It never told ${text}:\n${stdout}\n${stderr}`);
  });
  await Promise.race([told, never]);
}

test("[X3] [G3] whoever follows a turn sees its process die, another one take it up, and its end", async () => {
  const command = "until [ -e go ]; do sleep 0.05; done";
  await using provider = await fakeProvider([
    callTools([{ id: "a", name: "terminal", arguments: { command } }]),
    say("Done."),
  ]);
  const place = new Place();
  try {
    const turn = place.start(provider.baseUrl, ["-p", "wait for it", "--approve", "all", "--output", "jsonl"]);
    await turn.shows('"segment-start"');
    const follower = place.start(provider.baseUrl, ["turn", "show", "--picture", "--follow"]);
    await tells(follower, "It has run terminal for");
    const gone = tells(follower, "Its process has gone while it ran terminal.");
    turn.child.kill("SIGKILL");
    await turn.ended;
    await gone;
    writeFileSync(join(place.work, "go"), "");
    await place.run(provider.baseUrl, ["session", "resume", "last", "--continue"]);
    const { code, stdout } = await follower.ended;
    expect(code).toBe(0);
    // A row is told when it has come to its end: the receipt of the call may come behind the time without a process.
    for (const row of [/asks for 1 call/u, /until.*interrupted\n/u, /its process had died/u])
      expect(stdout.match(new RegExp(row, "gu")), String(row)).toHaveLength(1);
    expect(stdout).toMatch(/ answer.*\n.* finalise.*\n.* end .*text_response\n/u);
    expect(stdout.endsWith("text_response: The model has answered.\n")).toBe(true);
  } finally {
    writeFileSync(join(place.work, "go"), "");
    place.remove();
  }
});
