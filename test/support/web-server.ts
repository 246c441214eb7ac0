import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** What a path is answered with. */
export interface WebAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly body?: string | Buffer;
}

export interface WebServer extends AsyncDisposable {
  readonly url: string;
  /** `METHOD /path?query` of each request. */
  readonly asked: readonly string[];
  /** What was sent with it, as JSON. */
  readonly bodies: readonly unknown[];
}

/** A server of pages on this machine; what it has not is 404. */
export async function webServer(
  routes: Readonly<Record<string, () => WebAnswer | Promise<WebAnswer>>>,
): Promise<WebServer> {
  const asked: string[] = [];
  const bodies: unknown[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", url = "" } = request;
    asked.push(`${method} ${url}`);
    const sent = await text(request);
    bodies.push(sent === "" ? undefined : JSON.parse(sent));
    const found = (await routes[new URL(url, "http://x").pathname]?.()) ?? { status: 404, body: "no such page" };
    const { status = 200, headers = {}, json, body = "" } = found;
    response.writeHead(status, { ...(json !== undefined && { "content-type": "application/json" }), ...headers });
    response.end(json === undefined ? body : JSON.stringify(json));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    bodies,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
