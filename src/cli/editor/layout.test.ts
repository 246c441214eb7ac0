import fc from "fast-check";
import { expect, test } from "vitest";
import { charactersOf, textWidth } from "../../session/text-width.ts";
import { around, layOut } from "./layout.ts";

test("[J7] no row is wider than the terminal, nothing is lost, and the caret stands before its character", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "中", "👨‍👩‍👧", "é", " ", "\n", "漢"), maxLength: 60 });
  const holds = (written: string, columns: number, place: number): void => {
    const cells = charactersOf(written);
    const at = Math.min(place, cells.length);
    const { rows, caret } = layOut("› ", cells, at, columns);
    for (const row of rows) expect(textWidth(row)).toBeLessThan(columns);
    expect(
      rows
        .map((row) => row.slice(2))
        .join("")
        .replaceAll(" ", ""),
    ).toBe(written.replaceAll(/[\n ]/gu, ""));
    expect(caret.column).toBeLessThan(columns);
    const next = cells[at] ?? "\n";
    const shown = charactersOf(rows[caret.row] ?? "");
    const index = shown.findIndex((_, n) => textWidth(shown.slice(0, n).join("")) === caret.column);
    expect(next === "\n" || shown[index] === next).toBe(true);
  };
  const columns = fc.integer({ min: 6, max: 40 });
  expect(() => fc.assert(fc.property(text, columns, fc.nat(60), holds))).not.toThrow();
});

test("[J7] of a long message, the rows around the caret are seen", () => {
  const cells = charactersOf(Array.from({ length: 30 }, (_, at) => `row ${at}`).join("\n"));
  const whole = layOut("› ", cells, 0, 80);
  expect(around(whole, 10).rows[0]).toBe("› row 0");
  const end = around(layOut("› ", cells, cells.length, 80), 10);
  expect([end.rows.at(-1), end.caret]).toEqual(["  row 29", { row: 9, column: 8 }]);
});
