import fc from "fast-check";
import { EgressRefusal } from "../../src/protocol/egress.ts";
import { judgeAddresses, judgeUrl } from "../../src/tools/egress/judge-url.ts";
import { recordedEgress } from "./recorded-egress.ts";

const NOBODY = { purpose: "tool", allow: [] } as const;

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

/** The first and the last address of every range, and those beside them, each as others would write it. */
export function edgeRounds(): { readonly tried: number; readonly wrong: readonly string[] } {
  const edges = ranges.flatMap(([first, last]) => [first - 1, first, first + 1, last - 1, last, last + 1]);
  const values = edges.filter((edge) => edge >= 0 && edge < 2 ** 32);
  const tried = values.flatMap((value) => ENCODINGS.map((encode) => ({ host: encode(value), inner: isInner(value) })));
  return { tried: tried.length, wrong: tried.flatMap(({ host, inner }) => (passes(host) === inner ? [host] : [])) };
}

const PIECES = "a.test B.test 1.1.1.1 0x7f.1 @ : / \\ %2e # ? 。 ß [::1] . 80".split(" ");

export interface UrlRounds {
  readonly tried: number;
  /** Of them a connection was made for. */
  readonly dialled: number;
  /** Those whose socket was for another host than was judged. */
  readonly strays: readonly string[];
}

/** Random URLs, as they are judged and as they are sent. */
export async function urlRounds(runs: number): Promise<UrlRounds> {
  const { egress, dials } = recordedEgress((_, response) => response.end(), { resolve: async () => ["93.184.216.34"] });
  const made = fc
    .array(fc.constantFrom(...PIECES, "\t"), { maxLength: 6 })
    .map((pieces) => `http://${pieces.join("")}`);
  const urls = fc.sample(fc.oneof(made, fc.webUrl()), runs);
  const { signal } = new AbortController();
  const strays: string[] = [];
  let dialled = 0;
  for (const url of urls) {
    dials.length = 0;
    const judged = judgeUrl(url, NOBODY);
    const wanted = await egress.request({ url, purpose: "tool", signal }).then(
      () => (judged.type === "target" ? judged.target.host : ""),
      (error: unknown) => {
        if (error instanceof EgressRefusal) return undefined;
        throw error;
      },
    );
    dialled += dials.length;
    const hosts = dials.map(({ host }) => host).join(" ");
    if (hosts !== (wanted ?? "")) strays.push(url);
  }
  return { tried: urls.length, dialled, strays };
}
