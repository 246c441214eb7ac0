import type { ClientRequest } from "node:http";
import { type Answer, ask } from "../ask.ts";

/** A server on this machine: the host is a number, so no name is looked up and nothing can lead elsewhere. */
export interface LocalAddress {
  /** `127.…` or `::1`. */
  readonly host: string;
  readonly port: number;
}

export interface Question {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** JSON. */
  readonly body?: string;
}

/** A list of models is far shorter, bytes. */
const LONGEST_ANSWER = 1_048_576;

const isNumberOfThisMachine = (host: string): boolean => host === "::1" || /^127(?:\.\d{1,3}){3}$/u.test(host);

/** One request to this machine and to no other. Never rejects for what the server does. */
export async function askLocal(address: LocalAddress, question: Question, signal: AbortSignal): Promise<Answer> {
  if (!isNumberOfThisMachine(address.host)) throw new Error(`${address.host} is not this machine.`);
  return ask(open(address, question), question.body, { signal, longest: LONGEST_ANSWER });
}

function open({ host, port }: LocalAddress, { method, path, body }: Question): ClientRequest {
  // Not by import: see endpoint.ts. An agent would keep the connection, and go through a proxy where one is set.
  const { request, Agent } = process.getBuiltinModule("node:http");
  const headers =
    body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  return request({
    host,
    port,
    method,
    path,
    agent: new Agent({ keepAlive: false }),
    headers: { accept: "application/json", "accept-encoding": "identity", ...headers },
  });
}

/**
 * An address as variables give it (`:1234`, `host`, `http://host:port`), when it is on this machine: the address to
 * listen on everywhere is reached on loopback. Undefined for every other host, and for what cannot be read.
 */
export function localAddress(text: string, usualPort: number): LocalAddress | undefined {
  const trimmed = text.trim();
  const whole = /^\w+:\/\//u.test(trimmed);
  const url = URL.parse(whole ? trimmed : `http://${trimmed.startsWith(":") ? "127.0.0.1" : ""}${trimmed}`);
  const host = url?.protocol === "http:" ? loopbackOf(url.hostname) : undefined;
  // A URL does not tell the port that is usual for its scheme from none at all.
  const [, digits] = /:(\d+)\/?$/u.exec(trimmed) ?? [];
  const port = Number(digits ?? (whole ? 80 : usualPort));
  return host === undefined || port === 0 ? undefined : { host, port };
}

function loopbackOf(hostname: string): string | undefined {
  const host = hostname.replace(/^\[(.*)\]$/u, "$1");
  if (["localhost", "0.0.0.0", "::"].includes(host)) return "127.0.0.1";
  return isNumberOfThisMachine(host) ? host : undefined;
}

export const baseUrlOf = ({ host, port }: LocalAddress): string =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}/v1`;
