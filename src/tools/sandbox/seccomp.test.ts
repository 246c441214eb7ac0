import { expect, test } from "vitest";
import { seccompFilter } from "./seccomp.ts";

/** What the kernel would answer: the steps that are used here, run one by one. */
function answer(
  filter: Buffer,
  call: { readonly number: number; readonly audit: number; readonly args?: number[] },
): number {
  const { number, audit, args = [] } = call;
  const data = [number, audit, 0, 0, ...args.flatMap((arg) => [arg, 0])];
  let loaded = 0;
  for (let at = 0; ; at += 1) {
    const code = filter.readUInt16LE(at * 8);
    const value = filter.readUInt32LE(at * 8 + 4);
    if (code === 0x06) return value;
    if (code === 0x20) loaded = data[value / 4] ?? 0;
    else {
      const met = { 0x15: loaded === value, 0x35: loaded >= value, 0x45: (loaded & value) !== 0 }[code] ?? false;
      at += filter.readUInt8(at * 8 + (met ? 2 : 3));
    }
  }
}

const ALLOWED = 0x7fff_0000;
const X64 = 0xc000_003e;

test("[R23][X6] the filter refuses what leads out of the box, and nothing that programs live by", () => {
  const filter = seccompFilter("x64") ?? Buffer.alloc(0);
  const of = (number: number, ...args: number[]): number => answer(filter, { number, audit: X64, args });
  for (const number of [0, 1, 2, 9, 53, 57, 59, 257, 424, 439]) expect(of(number)).toBe(ALLOWED);
  for (const number of [101, 165, 272, 308, 310, 321, 323, 425, 428, 438]) expect(of(number)).not.toBe(ALLOWED);
  // Sockets of files, of IP, and of the box's own network; of no other kind.
  for (const family of [1, 2, 10]) expect(of(41, family)).toBe(ALLOWED);
  expect(of(41, 16, 3, 0)).toBe(ALLOWED);
  for (const args of [
    [16, 3, 9],
    [17, 3, 768],
    [40, 1, 0],
  ])
    expect(of(41, ...args)).not.toBe(ALLOWED);
  // A thread, and a new namespace.
  expect(of(56, 0x3d0f00)).toBe(ALLOWED);
  expect(of(56, 0x1000_0011)).not.toBe(ALLOWED);
  expect(of(16, 0, 0x5401)).toBe(ALLOWED);
  expect(of(16, 0, 0x5412)).not.toBe(ALLOWED);
  expect(of(0x4000_0000)).not.toBe(ALLOWED);
  expect(answer(filter, { number: 0, audit: 0x4000_0003 })).toBe(0x8000_0000);
  expect(seccompFilter("arm64")).toBeDefined();
  expect(seccompFilter("mips")).toBeUndefined();
});
