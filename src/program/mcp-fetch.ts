import type { Allowance, Fetch } from "../protocol/egress.ts";
import { innerAddress, innerName } from "../protocol/inner-address.ts";
import { openEgress } from "../tools/egress/open-egress.ts";

/**
 * The way out to one server of tools: the open network, and where that server itself is on this machine or its network, that
 * very host and port, which its owner has agreed to. No other server gets there by it.
 */
export const fetchTo = (url: string): Fetch => openEgress({ allow: ownDoor(url) }).fetchFor("mcp");

function ownDoor(url: string): readonly Allowance[] {
  const address = URL.parse(url);
  // What a name on the open network leads to is looked up anew each time: nothing inner is allowed for it.
  if (address === null || (innerAddress(address.hostname) ?? innerName(address.hostname)) === undefined) return [];
  const port = address.port === "" ? (address.protocol === "https:" ? 443 : 80) : Number(address.port);
  return [{ for: "mcp", to: address.hostname, ports: [port] }];
}
