import fc from "fast-check";
import { expect, test } from "vitest";
import { formsOf } from "./forms.ts";
import { KnownStream, KnownValues } from "./known.ts";

const SECRET = "plainOpaqueValue-77/not+a prefix";
const KEY = [1, 2] as const;

const cutAt = (text: string, places: readonly number[]): string[] => {
  const cuts = [0, ...places.map((place) => place % (text.length + 1)).toSorted((a, b) => a - b), text.length];
  return cuts.slice(1).map((end, at) => text.slice(cuts[at], end));
};

function passed(known: KnownValues, pieces: readonly string[]): string {
  const stream = new KnownStream(known);
  return pieces.map((piece) => stream.pass(piece)).join("") + stream.end();
}

/** Of few letters, so that secrets overlap, repeat themselves and contain each other. */
const few = (min: number, max: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom("a", "b", ":"), minLength: min, maxLength: max });

test("[J3] no secret comes through, wherever its text was cut, and what is shown does not depend on the cuts", () => {
  fc.assert(
    fc.property(
      fc.array(few(8, 12), { minLength: 1, maxLength: 3 }),
      few(0, 60),
      fc.array(fc.nat()),
      (secrets, text, places) => {
        const known = new KnownValues(secrets, KEY);
        const shown = passed(known, cutAt(text, places));
        expect(shown).toBe(known.redact(text));
        for (const secret of secrets) expect(shown).not.toContain(secret);
        // Nothing but secrets is missing.
        expect(shown === text).toBe(!known.isIn(text));
      },
    ),
    { numRuns: 2_000 },
  );
});

test("[J3] nothing waits but an end that may be the beginning of a secret", () => {
  const stream = new KnownStream(new KnownValues(["sk-123456789"], KEY));
  const shown = ["a text", " is sk-", "12", "3 no: sk-12345", "6789, or s", "o"].map((piece) => stream.pass(piece));
  const mark = expect.stringMatching(/^‹redacted:known:[0-9a-f]{4}›, or $/u);
  expect(shown).toEqual(["a text", " is ", "", "sk-123 no: ", mark, "so"]);
  expect(stream.end()).toBe("");
});

test("[security 3.13] every form of a secret is found, in both cases, cut anywhere, with what nobody sees in it", () => {
  const known = new KnownValues([SECRET], KEY);
  const mark = known.redact(SECRET);
  const hidden = ["", "\u001B[31m", "\u200B", "\r", "\n", "\\\n    ", "=\n"];
  for (const form of formsOf(SECRET)) {
    for (const written of [form, form.toUpperCase()]) {
      for (const sign of hidden) {
        const at = Math.floor(written.length / 2);
        const text = `<${written.slice(0, at)}${sign}${written.slice(at)}>`;
        expect(known.redact(text)).toBe(`<${mark}>`);
        expect(passed(known, Array.from(text))).toBe(`<${mark}>`);
      }
    }
  }
});

test("[security 3.13] base64 of a text around a secret shows nothing of it, whatever stands before", () => {
  const known = new KnownValues([SECRET], KEY);
  for (const before of ["", "a", "ab", "abc", "user:"]) {
    const text = Buffer.from(`${before}${SECRET}@host`).toString("base64");
    expect(known.redact(text)).toMatch(/^.{0,8}‹redacted:known:[0-9a-f]{4}›.{0,12}$/u);
  }
});

test("[security 3.13] full-width letters are read as the letters they look like, and what stays is as it was", () => {
  const known = new KnownValues(["secretvalue1"], KEY);
  const wide = Array.from("secretvalue1", (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)).join("");
  expect(known.redact(`ﬁ ${wide} ½\u200B`)).toMatch(/^ﬁ ‹redacted:known:[0-9a-f]{4}› ½\u200B$/u);
});

test("[security 3.13] equal secrets look equal, others do not, and one that is short is left alone", () => {
  const known = new KnownValues(["first-secret-1", "second-secret-2", "abc"], KEY);
  const [one, two, again] = known.redact("first-secret-1 second-secret-2 FIRST-SECRET-1").split(" ");
  expect(one).toBe(again);
  expect(one).not.toBe(two);
  expect(known.redact("short pw abc")).toBe("short pw abc");
});

test("[SEC-13] a secret that ends as a line that goes on is found at the end of a line, and whatever its case and its wraps", () => {
  const known = new KnownValues(["c2VjcmV0LXNlY3JldA==", "ends-with-a-backslash\\"], [1, 2]);
  for (const text of ["x=c2VjcmV0LXNlY3JldA==\nfoo", "C2VJCMV0LXNLY3JLDA==", "a c2Vjcm=\n  V0LXNl\\\n\tY3JldA==\n"]) {
    expect(known.isIn(text)).toBe(true);
    expect(known.redact(text)).not.toMatch(/c2Vj|Y3JldA/iu);
  }
  expect(known.redact("it ends-with-a-backslash\\\nfoo")).not.toContain("backslash");
  expect(known.isIn("c2VjcmV0LXNlY3Jl and ends-with-a-back\nslush")).toBe(false);
});
