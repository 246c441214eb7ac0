import fc from "fast-check";
import { expect, test } from "vitest";
import { EgressRefusal } from "../../protocol/egress.ts";
import { recordedEgress } from "../../../test/support/recorded-egress.ts";
import { judgeAddresses, judgeUrl } from "./judge-url.ts";

const NOBODY = { purpose: "tool", allow: [] } as const;
const signal = new AbortController().signal;

const RANGES =
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 " +
  "192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4";
const ranges = RANGES.split(" ").map((text) => {
  const [address = "", bits = ""] = text.split("/");
  const first = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  return [first, first + 2 ** (32 - Number(bits)) - 1] as const;
});
const isInner = (value: number): boolean => ranges.some(([first, last]) => value >= first && value <= last);

const parts = (value: number): number[] => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255);
const hex = (value: number): string => value.toString(16);
const groups = (value: number): string => `${hex(value >>> 16)}:${hex(value & 0xffff)}`;
/** One address as others would write it, each of which a URL or a resolver takes. */
const ENCODINGS: readonly ((value: number) => string)[] = [
  (value) => parts(value).join("."),
  (value) => String(value),
  (value) => `0x${hex(value)}`,
  (value) => `0${value.toString(8)}`,
  (value) =>
    parts(value)
      .map((part) => `0x${hex(part)}`)
      .join("."),
  (value) =>
    parts(value)
      .map((part) => `0${part.toString(8)}`)
      .join("."),
  (value) => `${value >>> 24}.${value & 0xff_ff_ff}`,
  (value) => `${parts(value).join(".")}.`,
  (value) => parts(value).join("。"),
  (value) =>
    parts(value)
      .join(".")
      .replace(/\d/gu, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (value) => `[::ffff:${parts(value).join(".")}]`,
  (value) => `[64:ff9b::${groups(value)}]`,
  (value) => `[2002:${groups(value)}::1]`,
  (value) => `[2001:0:4136:e378:0:0:${groups(~value >>> 0)}]`,
  (value) => `[2a00:1450::5efe:${groups(value)}]`,
];

const passes = (host: string): boolean => {
  const judged = judgeUrl(`http://${host}/`, NOBODY);
  return judged.type === "target" && judgeAddresses(judged.target, [judged.target.host], NOBODY) === undefined;
};

test("[R20] the first and the last address of every range, and those beside them, in fifteen encodings", () => {
  const edges = ranges.flatMap(([first, last]) => [first - 1, first, first + 1, last - 1, last, last + 1]);
  for (const value of edges.filter((edge) => edge >= 0 && edge < 2 ** 32))
    for (const [place, encode] of ENCODINGS.entries())
      expect([place, encode(value), passes(encode(value))]).toEqual([place, encode(value), !isInner(value)]);
});

test("[R20] what a resolver says: many lookups or none, mixed kinds, and answers that change", async () => {
  const answers = [["93.184.216.34"], ["127.0.0.1"]];
  const rebinding = recordedEgress((_, response) => response.end(), { resolve: async () => answers.shift() ?? [] });
  await rebinding.egress.request({ url: "http://rebind.test/", purpose: "tool", signal });
  expect([rebinding.lookups, rebinding.dials]).toEqual([
    ["rebind.test"],
    [{ host: "rebind.test", port: 80, address: "93.184.216.34" }],
  ]);
  for (const found of [
    ["127.0.0.1"],
    ["93.184.216.34", "::1"],
    ["2606:4700::1", "::ffff:7f00:1"],
    ["fe80::1%eth0"],
    ["x"],
  ]) {
    const { egress, dials } = recordedEgress((_, response) => response.end(), { resolve: async () => found });
    await expect(egress.request({ url: "http://a.test/", purpose: "tool", signal })).rejects.toThrow(EgressRefusal);
    expect(dials).toEqual([]);
  }
});

test("[NET-02] hosts in other words for this machine are refused, and nothing is dialled", async () => {
  const hosts =
    "2130706433 0x7f.0.0.1 0177.0.0.1 127.1 0 localhost. LOCALHOST 7f000001.nip.io [fd00::1] [fe80::1%25eth0] " +
    "[64:ff9b::7f00:1] [2002:7f00:1::] user@127.0.0.1 127.0.0.1#@ok.test";
  const { egress, dials } = recordedEgress((_, response) => response.end(), { resolve: async () => ["127.0.0.1"] });
  for (const host of hosts.split(" "))
    await expect(egress.request({ url: `http://${host}/`, purpose: "tool", signal })).rejects.toThrow(EgressRefusal);
  expect(dials).toEqual([]);
});

test("[NET-01] a redirect into the cloud's keys is refused where it leads", async () => {
  const { egress, dials } = recordedEgress(
    (_, response) => response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data/" }).end(),
    { resolve: async () => ["93.184.216.34"] },
  );
  for (const url of ["http://ok.test/", "http://[::ffff:169.254.169.254]/", "http://[::ffff:7f00:1]:8080/"])
    await expect(egress.request({ url, purpose: "tool", signal })).rejects.toMatchObject({ kind: "blocked" });
  expect(dials.map(({ host }) => host)).toEqual(["ok.test"]);
});

test("[R20] of random URLs the host that was judged is the one that is dialled", async () => {
  const { egress, dials } = recordedEgress((_, response) => response.end(), { resolve: async () => ["93.184.216.34"] });
  const piece = fc.constantFrom(
    "a.test",
    "B.test",
    "1.1.1.1",
    "0x7f.1",
    "@",
    ":",
    "/",
    "\\",
    "%2e",
    "#",
    "?",
    "。",
    "ß",
    "[::1]",
    ".",
    "80",
    "\t",
  );
  const urls = fc.array(piece, { maxLength: 6 }).map((pieces) => `http://${pieces.join("")}`);
  await fc.assert(
    fc.asyncProperty(fc.oneof(urls, fc.webUrl()), async (url) => {
      dials.length = 0;
      const judged = judgeUrl(url, NOBODY);
      const sent = await egress.request({ url, purpose: "tool", signal }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof EgressRefusal) return false;
          throw error;
        },
      );
      const host = judged.type === "target" ? judged.target.host : undefined;
      expect(dials.map((dial) => dial.host)).toEqual(sent ? [host] : []);
    }),
    { numRuns: 500 },
  );
});
