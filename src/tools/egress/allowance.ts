import type { Allowance, EgressPurpose } from "../../protocol/egress.ts";
import { isInNetwork, readNetwork } from "../../protocol/inner-address.ts";

/** Whom a request is for, and what its owner allows. */
export interface Leave {
  readonly purpose: EgressPurpose;
  readonly allow: readonly Allowance[];
  /** Ports of the program's own servers: closed like those of databases. */
  readonly ownPorts?: readonly number[];
}

export interface Door {
  /** In lower case, without a dot at its end and without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Ports of services that are no web servers, and that a request could be made to talk to (security §3.5 step 1). */
const CLOSED_PORTS: ReadonlySet<number> = new Set([
  22, 23, 25, 53, 110, 143, 389, 445, 465, 587, 993, 995, 1900, 2049, 2375, 2376, 3306, 5432, 5900, 6379, 6443, 8500,
  9200, 10250, 11211, 27017,
]);

export const isClosed = (port: number, { ownPorts = [] }: Leave): boolean =>
  CLOSED_PORTS.has(port) || ownPorts.includes(port);

const THIS_MACHINE = ["127.0.0.0/8", "::1"].flatMap((text) => readNetwork(text) ?? []);
const isThisMachine = (address: string): boolean => THIS_MACHINE.some((network) => isInNetwork(address, network));

/** Whether the owner lets this address, which the host led to, be reached. */
export const isAllowed = (door: Door, address: string, leave: Leave): boolean =>
  leave.allow.some((one) => opens(one, door.port, leave) && leads(one.to, door.host, address));

/** Whether it depends on the addresses of a host: something is allowed that they may be. */
export const mayBeAllowed = ({ host, port }: Door, leave: Leave): boolean =>
  leave.allow.some(
    (one) => opens(one, port, leave) && (readNetwork(one.to) !== undefined || leads(one.to, host, "127.0.0.1")),
  );

const opens = (one: Allowance, port: number, leave: Leave): boolean =>
  one.for === leave.purpose && (one.ports?.includes(port) ?? !isClosed(port, leave));

function leads(to: string, host: string, address: string): boolean {
  const network = readNetwork(to);
  if (network !== undefined) return isInNetwork(address, network);
  const name = URL.parse(`http://${to}/`)?.hostname.replace(/\.$/u, "");
  if (name !== "localhost") return name === host;
  return (host === "localhost" || host.endsWith(".localhost") || isThisMachine(host)) && isThisMachine(address);
}
