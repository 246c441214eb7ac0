import { expect, test } from "vitest";
import type { Agent } from "../../src/index.ts";
import { bench } from "../support/agent-in-folder.ts";
import { callTools, say } from "../support/wire-script.ts";

const STEPS = ["diagnostic", "transformOutput", "afterAnswer", "background", "onSessionEnd"] as const;
type Step = (typeof STEPS)[number];

type Options = Parameters<Awaited<ReturnType<typeof bench>>["agent"]>[0];

/** An agent that notes each step of the end of a turn that code from outside can see, and lets one fail. */
function noting(seen: string[], failing?: Step): NonNullable<Options> {
  const kept = Promise.withResolvers<void>();
  const step = (name: Step): undefined => {
    seen.push(name);
    if (name === failing) throw new Error("broke");
  };
  return {
    onDiagnostic: ({ fields }) => (fields["event"] === "turn-end" ? step("diagnostic") : undefined),
    plugins: [
      {
        name: "p",
        transformOutput: (shown) => {
          step("transformOutput");
          return `${shown} (p)`;
        },
        afterAnswer: () => step("afterAnswer"),
        // Whoever works beside the session has begun by then.
        onSessionEnd: async () => {
          await kept.promise;
          step("onSessionEnd");
        },
      },
    ],
    memory: {
      name: "m",
      prefetch: () => "",
      sync: () => {
        kept.resolve();
        step("background");
      },
    },
  };
}

const answerOf = (bot: Agent): unknown => bot.store.history("s")?.at(-1)?.parts;

test("[J5] the turn is saved, its line is logged, its answer is changed and told, what goes on beside it begins, and its session's end comes last", async () => {
  await using on = await bench(callTools([{ id: "a", name: "none", arguments: {} }]), say("Done."));
  const seen: string[] = [];
  const bot = on.agent(noting(seen));
  const turn = bot.start("go", { sessionId: "s" });
  for await (const { type } of turn) if (type === "turn-end") seen.push("saved");
  const result = await turn;
  expect(seen).toEqual(["saved", ...STEPS]);
  expect(result).toMatchObject({ answer: "Done.", shown: "Done. (p)", cleanupErrors: [] });
  expect(answerOf(bot)).toEqual([{ type: "text", text: "Done." }]);
});

test.each(STEPS)(
  "[J5] where the step %s fails, the others run, and the answer is neither lost nor changed",
  async (failing) => {
    await using on = await bench(say("Done."), say("Again."));
    const seen: string[] = [];
    const bot = on.agent(noting(seen, failing));
    const result = await bot.run("go", { sessionId: "s" });
    expect(seen).toEqual(STEPS);
    expect(result).toMatchObject({
      ok: true,
      answer: "Done.",
      shown: failing === "transformOutput" ? "Done." : "Done. (p)",
    });
    // What goes wrong beside a session is logged: nobody waits for it.
    expect(result.cleanupErrors.join("; ")).toMatch(
      failing === "background" ? /^$/u : new RegExp(`^(?:plug-in p: )?${failing}: broke$`, "u"),
    );
    expect(answerOf(bot)).toEqual([{ type: "text", text: "Done." }]);
    expect(await bot.run("again", { sessionId: "other" })).toMatchObject({ answer: "Again." });
  },
);
