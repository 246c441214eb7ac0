/** Where a host leads that is not out in the world (security §3.5). */
export type InnerAddress =
  /** It gives out the keys of the machine in a cloud: out of reach whoever says yes. */
  | "metadata"
  /** This machine, its network, or what is routed nowhere else. */
  | "internal";

// Security §3.5 steps 2 to 4.
const METADATA_NAMES = /^(?:metadata\.google\.internal|metadata\.goog|metadata|instance-data(?:\.ec2\.internal)?)$/u;
const INNER_NAMES = /^(?:localhost|[^.]+)$|\.(?:localhost|local|internal|home\.arpa)$/u;
const METADATA_V4 = ["169.254.0.0/16", "100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32"].map(network);
const INTERNAL_V4 = (
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 " +
  "198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4"
)
  .split(" ")
  .map(network);
const METADATA_V6 = /^fd00:ec2:0:0:0:0:0:(?:254|23)$/u;
const INTERNAL_V6 =
  /^(?:0:0:0:0:0:0:0:[01]|f[cd][\da-f]{2}:.*|fe[89a-f][\da-f]:.*|ff[\da-f]{2}:.*|2001:db8:.*|100:0:0:0:.*|5f00:.*)$/u;

/**
 * Of a host as it is written, in whatever form of numbers (`0x7f.1`, `2130706433`, `[::ffff:10.0.0.1]`): no name is looked
 * up. Undefined for what leads elsewhere, as far as its text tells.
 */
export function innerAddress(host: string): InnerAddress | undefined {
  const hostname = URL.parse(`http://${host}/`)?.hostname.replace(/\.$/u, "");
  if (hostname === undefined || hostname === "") return undefined;
  if (hostname.startsWith("[")) return ofGroups(groupsOf(hostname.slice(1, -1)));
  const number = numberOf(hostname);
  if (number !== undefined) return ofNumber(number);
  if (METADATA_NAMES.test(hostname)) return "metadata";
  return INNER_NAMES.test(hostname) ? "internal" : undefined;
}

interface Network {
  readonly first: number;
  readonly size: number;
}

function network(text: string): Network {
  const [address = "", bits = "32"] = text.split("/");
  return { first: numberOf(address) ?? 0, size: 2 ** (32 - Number(bits)) };
}

function numberOf(dotted: string): number | undefined {
  if (!/^\d+(?:\.\d+){3}$/u.test(dotted)) return undefined;
  return dotted.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

const isIn = (address: number, { first, size }: Network): boolean => address >= first && address < first + size;

function ofNumber(address: number): InnerAddress | undefined {
  if (METADATA_V4.some((range) => isIn(address, range))) return "metadata";
  return INTERNAL_V4.some((range) => isIn(address, range)) ? "internal" : undefined;
}

/** All eight, as a URL has them: shortened at one place at most, and without dots. */
function groupsOf(address: string): readonly number[] {
  const [before = "", after] = address.split("::");
  const read = (text: string): number[] =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  const [head, tail] = [read(before), read(after ?? "")];
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}

function ofGroups(groups: readonly number[]): InnerAddress | undefined {
  const text = groups.map((group) => group.toString(16)).join(":");
  const found = carriedIn(groups, text).map(ofNumber);
  if (METADATA_V6.test(text) || found.includes("metadata")) return "metadata";
  return INTERNAL_V6.test(text) || found.includes("internal") ? "internal" : undefined;
}

/** Addresses of the old kind that stand in one of the new: mapped, translated, or through a tunnel. */
function carriedIn(groups: readonly number[], text: string): number[] {
  const at = (place: number): number => (groups[place] ?? 0) * 65_536 + (groups[place + 1] ?? 0);
  const forms: readonly (readonly [RegExp, number])[] = [
    [/^0:0:0:0:0:(?:0|ffff):(?!0:[01]$)/u, at(6)],
    [/^64:ff9b:/u, at(6)],
    [/^2002:/u, at(1)],
    // Teredo tells the client turned round.
    [/^2001:0:/u, 0xff_ff_ff_ff - at(6)],
    [/^(?:[\da-f]+:){4}(?:0|200):5efe:/u, at(6)],
  ];
  return forms.flatMap(([form, address]) => (form.test(text) ? [address] : []));
}
