import type { Allowance, EgressPurpose } from "./egress.ts";
import { readNetwork } from "./inner-address.ts";

/** As they are written in `egress.allow`. */
const PURPOSES: readonly EgressPurpose[] = ["tool", "search", "mcp", "picture", "home"];
const NAME = /^(?!\d+$)[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*$/u;

/**
 * `PURPOSE HOST [PORT…]`, such as `tool 192.168.1.0/24 8080` or `home homeassistant.local`. Undefined for anything else:
 * no part of a name stands for many.
 */
export function readAllowance(text: string): Allowance | undefined {
  const [purpose, host = "", ...rest] = text.trim().split(/\s+/u);
  const known = PURPOSES.find((one) => one === purpose);
  const to = host.toLowerCase().replace(/\.$/u, "");
  const ports = rest.map(Number);
  if (known === undefined || (readNetwork(to) === undefined && !NAME.test(to))) return undefined;
  if (!ports.every((port) => Number.isInteger(port) && port > 0 && port < 65_536)) return undefined;
  return { for: known, to, ...(ports.length > 0 && { ports }) };
}
