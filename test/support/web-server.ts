import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

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
export async function webServer(routes: Readonly<Record<string, () => WebAnswer>>): Promise<WebServer> {
  const asked: string[] = [];
  const bodies: unknown[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "" } = request;
      asked.push(`${method} ${url}`);
      const sent = Buffer.concat(chunks).toString();
      bodies.push(sent === "" ? undefined : JSON.parse(sent));
      const answer = routes[new URL(url, "http://x").pathname]?.() ?? { status: 404, body: "no such page" };
      const { status = 200, headers = {}, json, body = "" } = answer;
      response.writeHead(status, { ...(json !== undefined && { "content-type": "application/json" }), ...headers });
      response.end(json === undefined ? body : JSON.stringify(json));
    });
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
