import type { ClientRequest, OutgoingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { withoutSlash } from "../protocol/base-url.ts";

/** One HTTP server, its connections kept alive. */
export interface Endpoint {
  /** Host and port, for sentences: never a secret. */
  readonly where: string;
  readonly host: string;
  /** On this machine or its private network. */
  readonly local: boolean;
  /** The base URL names a version of the API. */
  readonly versioned: boolean;
  /** Where `path` lies on the host, without a query, for sentences. */
  place(path: string): string;
  /** The whole address of `path` below the base URL. */
  url(path: string): string;
  /** A request to `path` below the base URL; the caller ends it. */
  request(method: "GET" | "POST", path: string, headers: OutgoingHttpHeaders): ClientRequest;
  /** Closes the connections that wait for a request: the next one begins with a new one. */
  dropIdle(): void;
  close(): void;
}

/** Below what servers and NATs usually keep idle connections for, ms. */
const IDLE_SOCKET_MS = 30_000;

/** Makes the connection of one request, where it leads to no address. */
export type Connect = () => Duplex;

/** Throws a TypeError with one sentence when the base URL cannot be used. */
export function openEndpoint(baseUrl: string, connect?: Connect): Endpoint {
  const url = parseBaseUrl(baseUrl);
  const secure = url.protocol === "https:";
  // Not by import: that reads every export of node:http, and one of them loads all of fetch; TLS only where it is used.
  const { Agent, request: send } = process.getBuiltinModule(secure ? "node:https" : "node:http");
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity, timeout: IDLE_SOCKET_MS });
  // A connection that was brought along serves one request: an agent keeps sockets alone.
  const way = connect === undefined ? { agent } : { createConnection: connect };
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  const prefix = withoutPath(withoutSlash(url.pathname));
  const place = (path: string): string => withQuery(below(prefix, path), url.search);
  return {
    where: `${url.hostname}:${port}`,
    host: host.toLowerCase(),
    local: isLocalHost(host),
    versioned: /\/v\d\w*(?:\/|$)/.test(prefix),
    place: (path) => below(prefix, path).split("?")[0] ?? "",
    url: (path) => `${url.origin}${place(path)}`,
    request: (method, path, headers) =>
      send({
        host,
        port,
        method,
        ...way,
        path: place(path),
        headers: { ...headers, "accept-encoding": "identity" },
      }),
    dropIdle: () => {
      for (const idle of Object.values(agent.freeSockets)) for (const socket of idle ?? []) socket.destroy();
    },
    close: () => agent.destroy(),
  };
}

/** What the base URL asks for stands behind what the path asks for. */
const withQuery = (path: string, query: string): string =>
  query === "" || !path.includes("?") ? `${path}${query}` : `${path}&${query.slice(1)}`;

/** People copy the whole address of a call out of a manual: what the dialects add below the base URL is taken away. */
const withoutPath = (prefix: string): string =>
  prefix.replace(
    /\/(?:chat\/completions|responses|messages|models\/[^/]+:(?:generate|streamGenerate)Content|model\/[^/]+\/converse(?:-stream)?)$/,
    "",
  );

/** People give a base URL with the version in it and without: where path and prefix both name it, it stands once. */
function below(prefix: string, path: string): string {
  const version = /^\/v\d\w*(?=\/)/.exec(path)?.[0] ?? "";
  return version !== "" && prefix.endsWith(version) ? `${prefix}${path.slice(version.length)}` : `${prefix}${path}`;
}

/** Throws a TypeError with one sentence when the base URL cannot be used. */
export function parseBaseUrl(baseUrl: string): URL {
  const url = URL.parse(baseUrl.trim());
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new TypeError(`The base URL ${JSON.stringify(baseUrl)} is not an http:// or https:// address.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new TypeError("The base URL holds a user name or password; give the key as an API key instead.");
  }
  return url;
}

const LOCAL_SUFFIXES = [".localhost", ".local", ".internal", ".lan", ".home.arpa", ".svc"];

/** Loopback, private, link-local or CGNAT address, name without a dot, or a container-internal name (hermes.md §6.2). */
export function isLocalHost(host: string): boolean {
  const name = host.toLowerCase();
  switch (isIP(name)) {
    case 4:
      return isLocalIpv4(name);
    case 6:
      return name === "::1" || /^(fe[89ab]|f[cd])/.test(name);
    default:
      return !name.includes(".") || LOCAL_SUFFIXES.some((suffix) => name.endsWith(suffix));
  }
}

export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    name === "::1" ||
    (isIP(name) === 4 && name.startsWith("127."))
  );
}

function isLocalIpv4(address: string): boolean {
  const [a = 0, b = 0] = address.split(".").map(Number);
  if (a === 127 || a === 10) return true;
  if (a === 192) return b === 168;
  if (a === 172) return b >= 16 && b <= 31;
  if (a === 169) return b === 254;
  return a === 100 && b >= 64 && b <= 127;
}
