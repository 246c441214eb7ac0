import fc from "fast-check";
import { expect, test } from "vitest";
import { Head } from "./head.ts";

/** Some of them longer than any room. */
const text = fc
  .tuple(fc.string({ unit: "grapheme" }), fc.constantFrom(1, 3, 1_000))
  .map(([unit, times]) => unit.repeat(times));

test("[X9] a head is what was appended, a body is the head and its tail, however much room was expected", () => {
  fc.assert(
    fc.property(text, fc.nat(20_000), fc.array(fc.tuple(text, text), { maxLength: 6 }), (opening, room, steps) => {
      const head = new Head(opening, room);
      let whole = opening;
      for (const [more, tail] of steps) {
        const place = Buffer.byteLength(whole);
        head.append(more);
        whole += more;
        expect(head.since(place).toString()).toBe(more);
        expect(head.body(tail).toString()).toBe(whole + tail);
      }
      expect(head.since(0).toString()).toBe(whole);
      expect(head.used).toBe(Buffer.byteLength(whole));
    }),
  );
});
