import { expect, test } from "vitest";
import fc from "fast-check";
import { userText } from "../../src/protocol/message.ts";
import type { Diagnostic } from "../../src/session/diagnostic.ts";
import {
  EXTENDED_STEPS,
  finalise,
  FINALISE_STEPS,
  type FinaliseContext,
  type FinaliseStep,
} from "../../src/session/finalise.ts";
import { refusalResult } from "../../src/session/result.ts";
import { initialState, UNATTENDED } from "../../src/turn/state.ts";

const setup = {
  model: "m",
  provider: "p",
  maxIterations: 3,
  approvals: "never",
  ...UNATTENDED,
} as const;
const context = (log: FinaliseContext["log"] = () => {}): FinaliseContext => ({
  state: initialState(setup, [userText("go")]),
  log,
  language: "en",
});
const result = { ...refusalResult({ reason: "max_iterations_reached", message: "x", sessionId: "s" }), answer: "half" };

test("[J5] steps run in their order; one that throws is named, and neither the answer nor a later step is lost", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 12 }), async (throws) => {
      const ran: number[] = [];
      const steps = throws.map((bad, index): FinaliseStep => ({
        name: `step${index}`,
        run: (before) => {
          ran.push(index);
          if (bad) throw new Error(`broke ${index}`);
          return { files: [...before.files, { path: `${index}`, change: "seen" }] };
        },
      }));
      const finished = await finalise(result, context(), steps);
      expect(ran).toEqual(throws.map((_, index) => index));
      expect(finished.cleanupErrors).toEqual(throws.flatMap((bad, i) => (bad ? [`step${i}: broke ${i}`] : [])));
      expect(finished.files.map((file) => file.path)).toEqual(throws.flatMap((bad, i) => (bad ? [] : [`${i}`])));
      expect(finished.answer).toBe("half");
    }),
  );
});

test("[J2 J5] the diagnostic comes first, then the footer of files and the explanation; a log that throws costs neither", async () => {
  expect(FINALISE_STEPS.map((step) => step.name)).toEqual(["diagnostic", "footer", "explanation", "background"]);
  const lines: Diagnostic[] = [];
  const said = await finalise(
    result,
    context((line) => lines.push(line)),
  );
  expect(lines).toHaveLength(1);
  expect(said.shown).toBe(`half\n\n${result.exit.explain}`);
  const broken = await finalise(
    result,
    context(() => {
      throw new Error("no log");
    }),
  );
  expect(broken).toEqual({ ...said, cleanupErrors: ["diagnostic: no log"] });
});

test("[J5] with plug-ins, whichever step fails, the answer is kept, the others run, and the trouble is told", async () => {
  const names = EXTENDED_STEPS.map(({ name }) => name);
  expect(names).toEqual([
    "hooks",
    "diagnostic",
    "footer",
    "explanation",
    "transformOutput",
    "afterAnswer",
    "background",
    "onSessionEnd",
    "troubles",
  ]);
  for (const failing of names) {
    const ran: string[] = [];
    const steps = EXTENDED_STEPS.map((step): FinaliseStep => ({
      name: step.name,
      run: (before, around) => {
        ran.push(step.name);
        if (step.name === failing) throw new Error("broke");
        return step.run(before, around);
      },
    }));
    const finished = await finalise(result, context(), steps);
    expect(ran).toEqual(names);
    expect(finished).toMatchObject({ answer: "half", cleanupErrors: [`${failing}: broke`] });
  }
});
