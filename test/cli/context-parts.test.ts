import { expect, test } from "vitest";
import { fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import { say } from "../support/wire-script.ts";

/** Every command that shows people what was said. */
const READERS: readonly (readonly string[])[] = [
  ["session", "list"],
  ["session", "list", "--json"],
  ["session", "show", "last"],
  ["session", "show", "last", "--json"],
  ["session", "search", "Lapsang"],
  ["session", "search", "Lap"],
  ["session", "search", "La"],
  ["session", "export", "session-1", "--format", "openai"],
  ["session", "export", "session-1", "--format", "md"],
  ["turn", "show", "last", "--picture"],
  ["turn", "show", "last", "--picture", "--json"],
  ["turn", "cost", "last"],
  ["turn", "explain", "last"],
];

test("[A11][A12] no command that shows what was said shows what was added to it", async () => {
  await using provider = await fakeProvider([say("Black tea.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const asked = await world.run(["-p", "which tea?", "--output", "json"], "Lapsang Souchong");
  expect(asked.stdout).toContain("Black tea.");
  expect(asked.stdout).not.toContain("Lapsang");
  expect(provider.requests[0]?.text).toContain("Lapsang");
  for (const reader of READERS) {
    const { code, stdout, stderr } = await world.run(reader);
    expect(code, `${reader.join(" ")}: ${stderr}`).toBe(0);
    expect(stdout, reader.join(" ")).not.toContain("Lapsang");
  }
});

test("[A11][G5] the whole of a session moves with what was added: in its new place the model is sent the same bytes", async () => {
  await using provider = await fakeProvider([say("Black tea."), say("Yes.", { newHead: true })]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await world.run(["-p", "which tea?"], "Lapsang Souchong");
  const { stdout } = await world.run(["session", "export", "session-1"]);
  await using other = await ProgramWorld.onServer(provider.baseUrl);
  expect((await other.run(["session", "import", "-"], stdout)).code).toBe(0);
  await other.run(["-p", "sure?", "--resume", "last"]);
  const [first, second] = provider.requests.map(({ body }) => body.messages[1]);
  expect(second).toEqual(first);
});
