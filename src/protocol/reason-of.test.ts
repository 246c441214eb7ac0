import { expect, test } from "vitest";
import { reasonOf } from "./reason-of.ts";

const fails = (): never => {
  throw new Error("asked");
};

test.each([
  [new Error("broken"), "broken"],
  ["words", "words"],
  [undefined, "undefined"],
  [Symbol("s"), "Symbol(s)"],
  [Object.assign(new Error("x"), { message: 7 }), "7"],
  [Object.create(null), "what was thrown has no words"],
  [{ toString: fails }, "what was thrown has no words"],
  [Object.defineProperty(new Error("x"), "message", { get: fails }), "what was thrown has no words"],
  [new Proxy({}, { getPrototypeOf: fails }), "what was thrown has no words"],
])("[E1] [I1] whatever is thrown has a reason (%#)", (thrown, reason) => {
  expect(reasonOf(thrown)).toBe(reason);
});
