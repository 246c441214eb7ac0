import fc from "fast-check";
import { expect, test } from "vitest";
import { answers, Clinic, looks } from "./clinic.ts";
import { prefixAcross, prefixOf } from "./prefix.ts";
import { refuses, replies } from "./script.ts";
import { SUBJECTS } from "./subjects.ts";

const MODES = SUBJECTS.map(({ wire }) => wire.mode);

test.each(MODES)(
  "[X9] [A7] %s: a request begins with all that was sent before it, over iterations, turns and a restart, but where a fact names the break",
  async (mode) => {
    const { headBytes, equalBytes, named, unnamed, requests, missed } = await prefixAcross(mode, 3);
    expect({ equalBytes, unnamed, missed }).toEqual({ equalBytes: headBytes, unnamed: [], missed: 0 });
    expect(named).toEqual(["compaction", "model-switch"]);
    expect(requests).toBe(18);
  },
);

/** What goes wrong with a request; `cut`: its reply comes to the longest that may be. */
const TROUBLES = {
  none: [],
  silent: [answers("")],
  refused: [refuses("overloaded")],
  broken: [replies(answers("So f"), { broken: { after: 1, by: "cut" } })],
  cut: [replies(answers("So far and"), { finish: "length" })],
} as const;

const trouble = fc.constantFrom(...(Object.keys(TROUBLES) as (keyof typeof TROUBLES)[]));
const turns = fc.array(fc.record({ troubles: fc.array(trouble, { maxLength: 3 }), restarts: fc.boolean() }), {
  minLength: 2,
  maxLength: 3,
});

test("[X9] [X5] whatever turns do, heads stay and no miss is told of a server that reads what it saw", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...MODES), turns, async (mode, course) => {
      await using clinic = await Clinic.open(mode);
      for (const [nth, { troubles, restarts }] of course.entries()) {
        const iterations = troubles.flatMap((each, at) => [...TROUBLES[each], looks(`p${nth * 10 + at}`)]);
        await clinic.turn([...iterations, answers("Done.")], restarts ? {} : undefined);
        expect(clinic.report().rows.flatMap(({ misses }) => misses)).toEqual([]);
      }
      const { headBytes, equalBytes, named, unnamed } = prefixOf(clinic.agentNow.store, clinic.turnIds);
      expect({ equalBytes, named, unnamed }).toEqual({ equalBytes: headBytes, named: [], unnamed: [] });
    }),
    { numRuns: 10 },
  );
});
