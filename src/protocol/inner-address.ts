/** Where a host leads that is not out in the world (security §3.5). */
export type InnerAddress =
  /** It gives out the keys of the machine in a cloud: out of reach whoever says yes. */
  | "metadata"
  /** This machine, its network, or what is routed nowhere else. */
  | "internal";

/** Addresses that begin alike; one of the old kind stands where the new kind has it, in `::ffff:0:0/96`. */
export interface Network {
  readonly first: bigint;
  /** How many of the 128 bits are free. */
  readonly free: bigint;
}

const OLD_KIND = 0xff_ff_00_00_00_00n;

// Security §3.5 steps 2 to 4.
const METADATA_NAMES = /^(?:metadata\.google\.internal|metadata\.goog|metadata|instance-data(?:\.ec2\.internal)?)$/u;
const LOCAL_NAMES = /^(?:localhost|[^.]+)$|\.(?:localhost|local|internal|home\.arpa)$/u;
/** The last three: Google's, Scaleway's and OpenStack's by the new kind of address. */
const METADATA = networks(
  "169.254.0.0/16 100.100.100.200 168.63.129.16 192.0.0.192 fd00:ec2::254 fd00:ec2::23 " +
    "fd20:ce::254 fd00:42::42 fe80::a9fe:a9fe",
);
const INTERNAL = networks(
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 " +
    "198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 2001:2::/48 2001:10::/28 2001:db8::/32 3fff::/20",
);
/** What is routed: of the new kind one eighth, and what stands for addresses of the old kind, which are judged besides. */
const ROUTED = networks("::ffff:0:0/96 64:ff9b::/96 2000::/3");

/** Where one of the old kind stands in one of the new, and how far from its end. */
const CARRIERS: readonly (readonly [Network, readonly bigint[]])[] = (
  [
    ["::/96", [0n]],
    ["::ffff:0:0:0/96", [0n]],
    ["64:ff9b::/96", [0n]],
    ["2002::/16", [80n]],
    ["2001::/32", [64n]],
  ] as const
).flatMap(([text, places]) => networks(text).map((network) => [network, places] as const));
const LOCAL_TRANSLATION = networks("64:ff9b:1::/48");
const TEREDO = networks("2001::/32");

/**
 * Of a host as it is written, in whatever form of numbers (`0x7f.1`, `2130706433`, `[::ffff:10.0.0.1]`): no name is looked
 * up. Undefined for what leads elsewhere, as far as its text tells.
 */
export function innerAddress(host: string): InnerAddress | undefined {
  const hostname = URL.parse(`http://${host}/`)?.hostname.replace(/\.$/u, "");
  if (hostname === undefined || hostname === "") return undefined;
  const value = addressIn(hostname);
  return value === undefined ? innerName(hostname) : ofValue(value);
}

/** Of a name in lower case, without a dot at its end. */
export function innerName(name: string): InnerAddress | undefined {
  if (METADATA_NAMES.test(name)) return "metadata";
  return LOCAL_NAMES.test(name) ? "internal" : undefined;
}

/** Of an address that a name led to, or that a connection was made to; what cannot be read is not out in the world. */
export function innerAddressOf(address: string): InnerAddress | undefined {
  const value = addressIn(address);
  return value === undefined ? "internal" : ofValue(value);
}

/** `192.168.1.0/24`, `fd00::/8`, or one address; undefined for anything else. */
export function readNetwork(text: string): Network | undefined {
  const [, address = "", bits] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/iu.exec(text) ?? [];
  const first = addressIn(address);
  if (first === undefined) return undefined;
  const whole = address.includes(":") ? 128 : 32;
  const fixed = bits === undefined ? whole : Number(bits);
  if (fixed > whole) return undefined;
  const free = BigInt(whole - fixed);
  return { first: (first >> free) << free, free };
}

/** Whether an address, as text, is one of them. */
export function isInNetwork(address: string, network: Network): boolean {
  const value = addressIn(address);
  return value !== undefined && isIn(value, network);
}

function networks(text: string): Network[] {
  return text.split(" ").flatMap((one) => readNetwork(one) ?? []);
}

function isIn(value: bigint, { first, free }: Network): boolean {
  return value >> free === first >> free;
}

/** The 128 bits of an address, in brackets or without, with a zone or without; undefined for what is none. */
function addressIn(text: string): bigint | undefined {
  if (/^\d+(?:\.\d+){3}$/u.test(text)) return OLD_KIND + bytesOf(text);
  const bare = text.replace(/^\[(.*)\]$/u, "$1").replace(/%.*$/u, "");
  if (!bare.includes(":")) return undefined;
  const hostname = URL.parse(`http://[${bare}]/`)?.hostname;
  return hostname === undefined ? undefined : ofGroups(hostname.slice(1, -1));
}

function bytesOf(dotted: string): bigint {
  return dotted.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n);
}

/** All eight, as a URL has them: shortened at one place at most, and without dots. */
function ofGroups(address: string): bigint {
  const [before = "", after] = address.split("::");
  const read = (text: string): bigint[] => (text === "" ? [] : text.split(":").map((group) => BigInt(`0x${group}`)));
  const [head, tail] = [read(before), read(after ?? "")];
  const groups = [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0n), ...tail];
  return groups.reduce((sum, group) => sum * 65_536n + group, 0n);
}

function ofValue(value: bigint): InnerAddress | undefined {
  const forms = [value, ...carriedIn(value)];
  const among = (found: readonly Network[]): boolean =>
    forms.some((form) => found.some((network) => isIn(form, network)));
  if (among(METADATA)) return "metadata";
  return among(INTERNAL) || !ROUTED.some((network) => isIn(value, network)) ? "internal" : undefined;
}

/** Addresses of the old kind that stand in one of the new: mapped, translated, or through a tunnel. */
function carriedIn(value: bigint): bigint[] {
  const at = (place: bigint): bigint => OLD_KIND + ((value >> place) & 0xff_ff_ff_ffn);
  const found = CARRIERS.flatMap(([network, places]) => (isIn(value, network) ? places.map(at) : []));
  // Teredo tells the client turned round.
  if (TEREDO.some((network) => isIn(value, network))) found.push(at(0n) ^ 0xff_ff_ff_ffn);
  // ISATAP, whatever the two bits say that tell who gave it out.
  if (((value >> 32n) & 0xfc_ff_ff_ffn) === 0x5e_fen) found.push(at(0n));
  if (LOCAL_TRANSLATION.some((network) => isIn(value, network))) found.push(at(0n), ...splitIn(value));
  return found;
}

/** RFC 6052: behind 48, 56 or 64 bits the address goes round the byte that begins the last half. */
function splitIn(value: bigint): bigint[] {
  const without = ((value >> 64n) << 56n) | (value & 0xff_ff_ff_ff_ff_ff_ffn);
  return [40n, 32n, 24n].map((place) => OLD_KIND + ((without >> place) & 0xff_ff_ff_ffn));
}
