import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Action, Keys } from "./keys.ts";

/** Well beyond the time in which keys count as one paste, ms. */
const APART = 40;

// Between two chunks no time passes unless a test says so: how far apart they come decides what they are.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** What is written from then on was not there when the keys were first looked for. */
async function looked(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await turn();
}

async function later(): Promise<void> {
  await looked();
  vi.advanceTimersByTime(APART);
  await looked();
}

async function acts(...chunks: readonly (string | Buffer)[]): Promise<Action[]> {
  const source = new PassThrough();
  const done: Action[] = [];
  const keys = new Keys(source, (action) => done.push(action));
  await looked();
  for (const chunk of chunks) {
    source.write(chunk);
    await looked();
  }
  await later();
  keys.leave();
  return done;
}

/** What is inserted, pasted and sent, as one text. */
function told(actions: readonly Action[]): string {
  let text = "";
  for (const action of actions) {
    if (action.do === "insert") text += action.text;
    if (action.do === "paste")
      text = `${text.slice(0, text.length - action.typed)}«${text.slice(text.length - action.typed)}${action.text}»`;
    if (action.do === "submit") text += "⏎";
    if (action.do === "line-break") text += "␤";
  }
  return text;
}

test("[J7] Enter sends what was typed before it, also when all came at once", async () => {
  expect(told(await acts("hello\r"))).toBe("hello⏎");
  expect(told(await acts("hello\r\n"))).toBe("hello⏎");
  expect(told(await acts("one\ntwo"))).toBe("one␤two");
});

test("[J7] lines that come too fast to be typed are a paste, and its last line break does not send", async () => {
  expect(told(await acts("one\rtwo\rthree"))).toBe("«one\ntwo\nthree»");
  expect(told(await acts("one\rtwo\r"))).toBe("«one\ntwo»");
  expect(told(await acts("one\r", "two\r"))).toBe("«one\ntwo»");
});

test("[J7] lines that come some time apart are sent, each by itself", async () => {
  const source = new PassThrough();
  const done: Action[] = [];
  const keys = new Keys(source, (action) => done.push(action));
  await looked();
  for (const line of ["one\r", "two\r"]) {
    source.write(line);
    await later();
  }
  keys.leave();
  expect(told(done)).toBe("one⏎two⏎");
});

test("[J7] what was typed before anybody looked is lines, each as it was typed", async () => {
  const source = new PassThrough();
  const done: Action[] = [];
  source.write("one\ntwo\nthr");
  const keys = new Keys(source, (action) => done.push(action));
  await looked();
  source.write("ee\nfour");
  await later();
  keys.leave();
  expect(told(done)).toBe("one⏎two⏎three␤four");
  expect(done.filter((action) => action.do === "submit").map(({ early }) => early)).toEqual([true, true]);
});

test("[J7] a bracketed paste presses no key, wherever it is cut", async () => {
  const bytes = Buffer.from("a\u001B[200~x\u0003\r\n中\u001B[A\ty\r\u001B[201~b");
  const whole = told(await acts(bytes));
  expect(whole).toBe("a«x\u0003\r\n中\u001B[A\ty»b");
  const cut = async (at: number): Promise<void> => {
    expect(told(await acts(bytes.subarray(0, at), bytes.subarray(at)))).toBe(whole);
  };
  // A terminal sends its marks whole; the text between them may be cut anywhere, also within a character.
  await fc.assert(fc.asyncProperty(fc.integer({ min: 8, max: bytes.length - 8 }), cut), { numRuns: 15 });
});

test("[J7] the keys of shells are known, with their modifiers", async () => {
  const keys =
    "\u0001\u0005\u000b\u0015\u0017\u0019\u001Bb\u001B[1;5C\u001B[A\u001B[1;3A\u001B\r\u0003\u0004\u001A\t\u007F";
  expect((await acts(keys)).map((action) => action.do)).toEqual([
    "home",
    "end-of-line",
    "cut-to-end",
    "cut-to-start",
    "cut-word",
    "put-back",
    "word-left",
    "word-right",
    "up",
    "take-back",
    "line-break",
    "interrupt",
    "end",
    "suspend",
    "complete",
    "backspace",
  ]);
});
