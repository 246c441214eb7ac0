import { expect, test } from "vitest";
import { EndlessProvider } from "../support/endless-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import { echo } from "../support/tools.ts";
import { callTools, say } from "../support/wire-script.ts";

/** A model that repeats one call ten times before it gives up by itself. */
async function looping(use: (world: ProgramWorld, provider: EndlessProvider) => Promise<void>): Promise<void> {
  const provider = new EndlessProvider(({ index }) =>
    index < 10 ? callTools([{ id: `c${index}`, name: "echo", arguments: { text: "x" } }]) : say("I give up."),
  );
  await provider.server.listen();
  await using world = await ProgramWorld.onServer(provider.server.baseUrl, [echo]);
  try {
    await use(world, provider);
    expect(provider.violations()).toEqual([]);
  } finally {
    await provider.close();
  }
}

test("[E7][J1] -p stops a loop by itself: exit 23, a cause on stderr, nothing on stdout", async () => {
  await looping(async (world, provider) => {
    const { code, stdout, stderr } = await world.run(["-p", "go"]);
    expect({ code, stdout }).toEqual({ code: 23, stdout: "" });
    expect(stderr).toContain("echo was called 5 times with the same arguments");
    expect(provider.requests.length).toBe(6);
  });
});

test("[E7] settings change the limits of -p, switch the stop off, and mean nothing where they cannot be read", async () => {
  await looping(async (world, provider) => {
    const early = await world.ask("go", "--config", "guardrails.noProgressStopAfter=2");
    expect(early.exit).toMatchObject({ reason: "guardrail_halt", detail: { count: 2 } });
    expect(provider.requests.length).toBe(3);
    expect((await world.ask("go", "--config", "guardrails.hardStop=off")).answer).toBe("I give up.");
  });
  await looping(async (world) => {
    const lenient = await world.ask("go", "--config", "guardrails.hardStop=perhaps");
    expect(lenient.exit.reason).toBe("guardrail_halt");
  });
});

test("[E7] a person at a terminal is only warned for; a conversation that is piped in is stopped", async () => {
  await looping(async (world) => {
    const seat = world.sit(["go"]);
    await world.shown("I give up.");
    seat.leave();
    expect((await seat.ended).code).toBe(0);
  });
  await looping(async (world) => {
    expect((await world.run([], "go\n")).code).toBe(23);
  });
});

test("[E6][J1] --fail-on-tool-error ends the turn at the first tool that fails: exit 31", async () => {
  const provider = new EndlessProvider(() => callTools([{ id: "c", name: "echoes", arguments: "nonsense" }]));
  await provider.server.listen();
  await using world = await ProgramWorld.onServer(provider.server.baseUrl, [echo]);
  try {
    const result = await world.ask("go", "--fail-on-tool-error");
    expect(result.exit).toMatchObject({ reason: "tool_error", code: 31 });
    expect(provider.requests.length).toBe(1);
  } finally {
    await provider.close();
  }
});
