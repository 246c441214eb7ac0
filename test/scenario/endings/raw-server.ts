import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import {
  type AddressInfo,
  createServer as createSocketServer,
  type Server as SocketServer,
  type Socket,
} from "node:net";
import { setTimeout } from "node:timers/promises";
import type { ReceivedRequest } from "../../support/fake-provider.ts";
import { inspectRequest } from "../../support/protocol-police.ts";
import type { Raw } from "./row.ts";

/** Reads requests as an HTTP server does and answers with bytes as they stand; polices what it was sent. */
export class RawServer {
  readonly requests: ReceivedRequest[] = [];
  readonly faults: string[] = [];
  /** Resolves when the first request has come. */
  readonly asked: Promise<void>;
  private readonly server: Server;
  private readonly onAsked: () => void;
  private readonly rule: (request: ReceivedRequest) => Raw;

  constructor(rule: (request: ReceivedRequest) => Raw) {
    this.rule = rule;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.asked = promise;
    this.onAsked = resolve;
    this.server = createServer((request) => {
      this.serve(request).catch((error: unknown) => this.faults.push(String(error)));
    });
  }

  async listen(): Promise<string> {
    return listen(this.server);
  }

  async close(): Promise<void> {
    const closed = once(this.server, "close");
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async serve(request: IncomingMessage): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { body, violations } = inspectRequest(Buffer.concat(chunks));
    const { url: path = "", headers, socket } = request;
    const received = { index: this.requests.length, path, headers, text: "", body };
    this.requests.push(received);
    this.faults.push(...violations);
    this.onAsked();
    await play(this.rule(received), socket);
  }
}

async function play({ raw, end }: Raw, socket: Socket): Promise<void> {
  // The client may go at any moment.
  socket.on("error", () => {});
  for (const frame of raw) {
    if (socket.destroyed) return;
    if (typeof frame === "object" && "waitMs" in frame) await setTimeout(frame.waitMs);
    else await new Promise<void>((resolve) => socket.write(frame, () => resolve()));
  }
  if (end === "cut") socket.destroySoon();
  if (end === "reset") socket.resetAndDestroy();
}

/** Counts whoever comes, and reads nothing. */
export class DeafServer {
  readonly sockets: Socket[] = [];
  /** Resolves when the first has come. */
  readonly visited: Promise<void>;
  private readonly server: SocketServer;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.visited = promise;
    this.server = createSocketServer({ pauseOnConnect: true }, (socket) => {
      socket.on("error", () => {});
      this.sockets.push(socket);
      resolve();
    });
  }

  async listen(): Promise<string> {
    return listen(this.server);
  }

  async close(): Promise<void> {
    const closed = once(this.server, "close");
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}

/** Returns the base URL. */
async function listen(server: SocketServer): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}
