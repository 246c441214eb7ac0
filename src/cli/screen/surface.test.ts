import { Writable } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ScreenModel } from "../../../test/support/screen-model.ts";
import type { Io } from "../io.ts";
import { Surface } from "./surface.ts";

const COLUMNS = 20;
const ROWS = 8;

function terminal(model: ScreenModel): Io {
  const tty = (): Writable & { isTTY: boolean; columns: number; rows: number } => {
    const stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        model.write(chunk.toString());
        done();
      },
    });
    return Object.assign(stream, { isTTY: true, columns: COLUMNS, rows: ROWS });
  };
  return { stdout: tty(), stderr: tty(), env: {} } as unknown as Io;
}

type Act =
  | { readonly do: "answer" | "line"; readonly text: string }
  | { readonly do: "activity"; readonly rows: readonly string[] }
  | { readonly do: "typed"; readonly text: string };

const word = fc.stringMatching(/^[a-z]{0,30}$/u);
/** Texts that fill a row to its last column are where terminals differ from what one expects. */
const answer = fc.oneof(fc.stringMatching(/^[a-z\n]{0,30}$/u), fc.stringMatching(/^[a-z]{20}$/u));
const shout = fc.stringMatching(/^[A-Z]{0,17}$/u);
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("answer" as const), text: answer }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("line" as const), text: word }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("activity" as const), rows: fc.array(shout, { maxLength: 5 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("typed" as const), text: shout }) },
);

function perform(surface: Surface, step: Act): void {
  switch (step.do) {
    case "answer":
      return surface.answer(step.text);
    case "line":
      return surface.line(step.text);
    case "activity":
      return surface.activity(step.rows);
    case "typed":
      return step.text === ""
        ? surface.typed([], undefined)
        : surface.typed([step.text, "AND MORE"], { row: step.text.length % 2, column: 3 });
  }
}

/** What a terminal shows that was only ever written to. */
function written(steps: readonly Act[]): string[] {
  const model = new ScreenModel(COLUMNS, ROWS);
  let inLine = false;
  for (const step of steps) {
    if (step.do !== "answer" && step.do !== "line") continue;
    if (step.text === "" && step.do === "answer") continue;
    if (step.do === "line" && inLine) model.write("\n");
    model.write(step.do === "line" ? `${step.text}\n` : step.text);
    inLine = step.do === "answer" && !step.text.endsWith("\n");
  }
  return model.lines;
}

test("[J7] whatever is drawn below, what was written stands once and whole, and is never touched again", () => {
  const holds = (steps: readonly Act[]): void => {
    const model = new ScreenModel(COLUMNS, ROWS);
    const surface = new Surface(terminal(model), { plain: false });
    for (const step of steps) perform(surface, step);
    surface.close();
    expect(model.lines).toEqual(written(steps));
  };
  fc.assert(fc.property(fc.array(act, { maxLength: 25 }), holds), { numRuns: 300 });
});

test("[J7] the cursor stands where the text is written, below what goes on", () => {
  const model = new ScreenModel(COLUMNS, ROWS);
  const surface = new Surface(terminal(model), { plain: false });
  surface.answer("an answer that is longer than a row");
  surface.activity(["waiting"]);
  surface.typed(["> ab", "  cd"], { row: 1, column: 3 });
  expect(model.lines).toEqual(["an answer that is lo", "nger than a row", "waiting", "> ab", "  cd"]);
  expect(model.caret).toEqual({ row: 4, column: 3 });
  surface.close();
});

test("[J7] --plain writes no escape sequence, whatever happens", () => {
  let text = "";
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  const tty = Object.assign(stream, { isTTY: true, columns: COLUMNS, rows: ROWS });
  const surface = new Surface({ stdout: tty, stderr: tty, env: {} } as unknown as Io, { plain: true });
  surface.answer("half");
  surface.activity(["waiting"]);
  surface.typed(["> x"], { row: 0, column: 3 });
  surface.line(surface.dim("a line"));
  surface.close();
  expect(text).toBe("half\na line\n");
});
