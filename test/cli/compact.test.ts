import { expect, test } from "vitest";
import { fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import { say } from "../support/wire-script.ts";

const long = (of: string): string => `${of}: ${"what was found there. ".repeat(60)}`;

test("[F3] /compact in a conversation: a summary by the model, with what is to be kept; the archive has all, and it is found", async () => {
  const asked = ["about ants", "about bees", "about cats"];
  const summary = say("## Done\n1. Told of ants.", { newHead: true });
  const steps = [...asked.map((text) => say(long(text))), summary, say("Well.", { newHead: true })];
  await using provider = await fakeProvider(steps);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const { stdout, stderr } = await world.run([], `${[...asked, "/compact the wings", "and now?"].join("\n")}\n`);
  expect(stdout).toContain("Well.");
  expect(stderr).toMatch(/A summary is sent from here on instead of the older part .* \(~\d+ → ~\d+ tokens\)\./u);
  expect(provider.requests[3]?.text).toContain("the user's words: the wings");
  expect(provider.requests[4]?.text).toContain("Told of ants.");
  const shown = await world.run(["session", "show", "last"]);
  for (const text of asked) expect(shown.stdout).toContain(`${text}: what was found there.`);
  const found = await world.run(["session", "search", "ants"]);
  expect(found.stdout).toContain("ants");
});

test("[F3] [J2] where no summary comes, /compact and turn explain say why, and turn explain names the summary that came", async () => {
  const asked = ["about ants", "about bees", "about cats"];
  const refused = say("I'm sorry, I can't help with that.", { newHead: true });
  const given = say("## Done\n1. Told of ants.", { newHead: true });
  for (const [step, said, explained] of [
    [
      refused,
      /No summary: the model refused to sum up\./u,
      /somebody asked for it.*no summary: the model refused to sum up/u,
    ],
    [given, /A summary is sent from here on/u, /somebody asked for it: a summary is sent from here on/u],
  ] as const) {
    await using provider = await fakeProvider([...asked.map((text) => say(long(text))), step]);
    await using world = await ProgramWorld.onServer(provider.baseUrl);
    const { stderr } = await world.run([], `${[...asked, "/compact"].join("\n")}\n`);
    expect(stderr).toMatch(said);
    expect((await world.run(["turn", "explain", "last"])).stdout).toMatch(explained);
  }
});
