import { createServer, type RequestListener } from "node:http";
import { isIP } from "node:net";
import { type Duplex, duplexPair } from "node:stream";
import { type EgressOptions, openEgress } from "../../src/tools/egress/open-egress.ts";
import type { Egress } from "../../src/protocol/egress.ts";

export interface RecordedEgress {
  readonly egress: Egress;
  /** Each lookup, by its name. */
  readonly lookups: string[];
  /** Each connection: the host it was made for, its port, and the address. */
  readonly dials: { readonly host: string; readonly port: number; readonly address: string }[];
}

/** The way out with names that lead where a test says, and connections that lead to a server in the same memory. */
export function recordedEgress(
  answer: RequestListener,
  {
    resolve,
    ...options
  }: Pick<EgressOptions, "allow" | "ownPorts" | "clock"> & Required<Pick<EgressOptions, "resolve">>,
): RecordedEgress {
  const server = createServer((request, response) => {
    // What stands for a socket has nothing that keeps it for the next request.
    response.shouldKeepAlive = false;
    answer(request, response);
  });
  const lookups: string[] = [];
  const dials: RecordedEgress["dials"] = [];
  const connect = (dial: Parameters<NonNullable<EgressOptions["connect"]>>[0]): Duplex => {
    let address = dial.host;
    if (isIP(dial.host) === 0)
      dial.lookup(dial.host, {}, (_, found) => (address = typeof found === "string" ? found : ""));
    dials.push({ host: dial.host, port: dial.port, address });
    const [ours, theirs] = duplexPair();
    server.emit("connection", theirs);
    return Object.assign(ours, { remoteAddress: address });
  };
  const egress = openEgress({
    ...options,
    connect,
    resolve: (host) => {
      lookups.push(host);
      return resolve(host);
    },
  });
  return { egress, lookups, dials };
}
