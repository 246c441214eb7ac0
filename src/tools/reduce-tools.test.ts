import fc from "fast-check";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { builtInTools } from "./built-in.ts";
import { reduceTools } from "./reduce-tools.ts";

const all = builtInTools({ cwd: tmpdir(), home: tmpdir(), env: {} });
const names = all.map(({ name }) => name);

test("[C15] a model that takes no tools is given none; one with room, or of which nothing is known, all", () => {
  expect(reduceTools(all, { takesTools: false }, "")).toEqual({ tools: [], because: "takes-none", left: names });
  expect(reduceTools([], { takesTools: false }, "")).toEqual({ tools: [], because: undefined, left: [] });
  for (const known of [{}, { takesTools: true, contextWindow: 16_384 }])
    expect(reduceTools(all, known, "")).toEqual({ tools: all, because: undefined, left: [] });
});

test("[C15] a small window gets as many tools as fit, in order; each tool is either given or named as left out", () => {
  const small = reduceTools(all, { contextWindow: 5_800 }, "");
  expect(small.because).toBe("small-window");
  expect(small.tools[0]?.name).toBe("read_file");
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 20_000 }), (contextWindow) => {
      const { tools, left } = reduceTools(all, { contextWindow }, "system");
      expect([...tools.map(({ name }) => name), ...left].toSorted()).toEqual(names.toSorted());
    }),
  );
});
