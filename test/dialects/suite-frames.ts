import { deepEqual, equal } from "node:assert/strict";
import { type Framing, says } from "./script.ts";
import type { Item } from "./suite-item.ts";
import { FULL, heard, partsOf } from "./suite-replies.ts";

const BINARY = { bedrock_converse: "its frames are binary: they have no lines" } as const;

/** The same reply, whatever its bytes look like. */
const same = (row: string, name: string, ...framings: readonly Framing[]): Item => ({
  row,
  name,
  run: async (side) => {
    const plain = await heard(side, FULL);
    for (const framing of framings) deepEqual(await heard(side, { ...FULL, framing }), plain);
  },
});

export const FRAMES: readonly Item[] = [
  same("C2", "split at every byte", { bytes: 1 }, { bytes: 2 }, { bytes: 3 }, { bytes: 7 }),
  { ...same("C2", "lines that end with CRLF", { lineEnd: "\r\n" }, { lineEnd: "\r\n", bytes: 1 }), except: BINARY },
  { ...same("C2", "lines that end with CR", { lineEnd: "\r" }, { lineEnd: "\r", bytes: 1 }), except: BINARY },
  same("C6", "comments and pings", { comments: true }, { comments: true, bytes: 5 }),
  { ...same("C2", "a byte order mark", { bom: true }, { bom: true, bytes: 1 }), except: BINARY },
  {
    row: "C2",
    name: "events and fields that nobody knows",
    run: async (side) => {
      const plain = await heard(side, FULL);
      deepEqual(await heard(side, { ...FULL, strange: true }), plain);
    },
  },
  {
    row: "C2",
    name: "a line of 10 MB",
    run: async (side) => {
      const text = "0123456789".repeat(1024 * 1024);
      const [part] = partsOf(await heard(side, says([text, " end"])));
      const got = String(part?.[1]);
      equal(got.length, text.length + 4);
      equal(got === `${text} end`, true);
    },
  },
];
