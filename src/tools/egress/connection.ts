import { Agent as PlainAgent, type ClientRequestArgs } from "node:http";
import { Agent as SecureAgent } from "node:https";
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectSecure } from "node:tls";
import type { Duplex } from "node:stream";
import { EgressRefusal } from "../../protocol/egress.ts";
import { lateAfter, LIMITS, type Timer } from "./limits.ts";

/** One connection that is to be made; `lookup` knows the addresses that were checked, and no others. */
export interface Dial {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly lookup: LookupFunction;
}

export type Connect = (dial: Dial) => Duplex;

/** Idle connections are let go before servers do, ms. */
const IDLE_MS = 4_000;

/** A lookup that was made before: whoever connects gets what was checked. */
export const checkedLookup =
  (addresses: readonly string[]): LookupFunction =>
  (_host, { all }, callback) => {
    const known = addresses.map((address) => ({ address, family: isIP(address) }));
    const [first = { address: "", family: 0 }] = known;
    if (all === true) callback(null, known);
    else callback(null, first.address, first.family);
  };

interface Around {
  readonly timer: Timer;
  readonly connect: Connect | undefined;
  /** What is wrong with the address that a connection has led to. */
  readonly recheck: (dial: Dial, remote: string) => string | undefined;
}

/** Connections of one purpose, kept for a moment; each is checked again once it stands, before a byte is sent. */
export function checkedAgent(secure: boolean, around: Around): PlainAgent {
  const agent = new (secure ? SecureAgent : PlainAgent)({ keepAlive: true, timeout: IDLE_MS, scheduling: "lifo" });
  agent.createConnection = (options, done) => {
    const dial = dialOf(options, secure);
    const socket = (around.connect ?? dialled)(dial);
    establish(socket, { dial, around }, (error) => done?.(error, socket));
    return undefined;
  };
  return agent;
}

function dialOf({ host, port, lookup }: ClientRequestArgs, secure: boolean): Dial {
  return { host: host ?? "", port: Number(port), secure, lookup: lookup ?? checkedLookup([]) };
}

function dialled({ host, port, secure, lookup }: Dial): Duplex {
  if (!secure) return connectPlain({ host, port, lookup });
  return connectSecure({ host, port, lookup, servername: isIP(host) === 0 ? host : "", ALPNProtocols: ["http/1.1"] });
}

interface Made {
  readonly dial: Dial;
  readonly around: Around;
}

/** Calls `done` once: when the connection stands and leads where it may, or with what is wrong. */
function establish(socket: Duplex, { dial, around }: Made, done: (error: Error | null) => void): void {
  const { host, port, secure } = dial;
  const settle = (error: Error | null): void => {
    forget();
    socket.off("error", settle);
    if (error !== null) socket.destroy();
    done(error);
  };
  const late = `${host}:${port} took no connection within ${LIMITS.connectMs / 1000} s.`;
  const forget = lateAfter(around.timer, LIMITS.connectMs, () => settle(new EgressRefusal("failed", late)));
  const check = (): void => {
    const why = around.recheck(dial, (socket as Socket).remoteAddress ?? "");
    if (why !== undefined) settle(new EgressRefusal("blocked", why));
    else if (!secure || !("encrypted" in socket)) settle(null);
  };
  socket.once("error", settle);
  // Between this and what the request listens to itself.
  socket.on("error", () => undefined);
  if (!("connecting" in socket) || socket.connecting !== true) return check();
  socket.once("connect", check);
  if (secure) socket.once("secureConnect", () => settle(null));
}
