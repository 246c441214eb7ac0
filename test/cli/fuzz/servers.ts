import { createServer, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** How a server of chance misbehaves, by the first part of its path. */
export const MISBEHAVIOURS = ["html", "empty", "cut", "400", "401", "402", "404", "429", "503"] as const;
export type Misbehaviour = (typeof MISBEHAVIOURS)[number];

/** One server that is broken in every way there is. */
export class BrokenServers implements AsyncDisposable {
  private readonly server: Server = createServer((request, response) => {
    request.resume();
    answer(request.url?.split("/")[1] ?? "", response);
  });

  static async open(): Promise<BrokenServers> {
    const servers = new BrokenServers();
    servers.server.listen(0, "127.0.0.1");
    await once(servers.server, "listening");
    return servers;
  }

  baseUrl(misbehaviour: Misbehaviour): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${misbehaviour}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }
}

function answer(how: string, response: ServerResponse): void {
  switch (how) {
    case "html":
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<html><body>Sign in</body></html>");
      return;
    case "empty":
      response.end();
      return;
    case "cut":
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('data: {"choices":[{"delta":{"content":"Half"}}]}\n\n', () => response.destroy());
      return;
    default:
      response.writeHead(Number(how), { "content-type": "application/json", "retry-after-ms": "1" });
      response.end(JSON.stringify({ error: { message: "\u001B[31mno\u001B[0m\nreally" } }));
  }
}
