import fc from "fast-check";
import { expect, test } from "vitest";
import { playAndUndo, scripts } from "./undo-scripts.ts";

test("[E12] [X6] [FILE-07] whatever turns did to a folder, dying or not, undoing them puts it back bit by bit", async () => {
  await fc.assert(
    fc.asyncProperty(scripts, async (script) => {
      expect(await playAndUndo(script)).toBeUndefined();
    }),
    { numRuns: 8 },
  );
});
