import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { expect, test } from "vitest";
import { createTransport } from "../../src/model/transport.ts";
import { userText } from "../../src/protocol/message.ts";
import type { ModelReply } from "../../src/protocol/ports.ts";
import type { Side } from "./client.ts";
import { says } from "./script.ts";
import { SUBJECTS } from "./subjects.ts";
import { LS, NONCE } from "./talks.ts";
import { PLAIN_REQUEST } from "../support/plain-request.ts";

/** More than the buffers of two sockets hold, so that most of the request waits to be sent, characters. */
const LONG_PROMPT = "Help me. ".repeat(1_000_000);

/** A server whose other end has gone, without a word: it takes connections, and nothing more unless `onConnection` does. */
async function silent(onConnection: (socket: Socket) => void): Promise<Server> {
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on("error", () => undefined);
    onConnection(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

interface Stopped {
  readonly reply: ModelReply;
  /** From the abort to the reply, ms. */
  readonly tookMs: number;
  /** Ours. */
  readonly socket: Socket;
}

interface Asking {
  readonly side: Side;
  readonly server: Server;
  readonly prompt: string;
  /** Resolves when it is time to stop; it may wait for the first delta. */
  readonly until: (firstDelta: Promise<void>) => Promise<unknown>;
}

async function stopped({ side, server, prompt, until }: Asking): Promise<Stopped> {
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  const { dialect, model } = side;
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const transport = createTransport({ dialect, provider: "fake", apiKey: "key", baseUrl, connect: () => socket });
  const stop = new AbortController();
  const first = Promise.withResolvers<void>();
  const prepared = transport
    .open({ system: prompt, tools: [LS], nonce: NONCE })
    .prepare({ provider: "fake", model, history: [userText("hi")], ...PLAIN_REQUEST });
  const reply = prepared.send(() => first.resolve(), stop.signal);
  await until(first.promise);
  const at = performance.now();
  stop.abort();
  try {
    return { reply: await reply, tookMs: performance.now() - at, socket };
  } finally {
    transport.close();
  }
}

test.for(SUBJECTS)(
  "[C6] a stop within 250 ms where a server takes the connection and never reads: $wire.mode",
  async (side) => {
    const sockets: Socket[] = [];
    const taken = Promise.withResolvers<void>();
    const server = await silent((socket) => {
      sockets.push(socket);
      taken.resolve();
    });
    try {
      const { reply, tookMs, socket } = await stopped({
        side,
        server,
        prompt: LONG_PROMPT,
        until: () => taken.promise,
      });
      expect(reply).toEqual({ type: "aborted", text: "", reasoning: "" });
      expect(tookMs).toBeLessThan(250);
      expect(socket.destroyed).toBe(true);
    } finally {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  },
);

test.for(SUBJECTS)("[C6] a stop within 250 ms where a server falls silent in its reply: $wire.mode", async (side) => {
  const { wire, model } = side;
  const sockets: Socket[] = [];
  const events = wire.events(says(["Half ", "an answer"]), { model, streams: true });
  const shown = events.slice(0, events.findIndex(({ piece }) => piece) + 1);
  const server = await silent((socket) => {
    sockets.push(socket);
    socket.write(`HTTP/1.1 200 OK\r\ncontent-type: ${wire.contentType}\r\n\r\n`);
    socket.write(Buffer.concat(shown.map((event) => wire.frame(event, {}))));
  });
  try {
    const asked = { side, server, prompt: "You help.", until: (firstDelta: Promise<void>) => firstDelta };
    const { reply, tookMs, socket } = await stopped(asked);
    expect(reply).toMatchObject({ type: "aborted", text: "Half " });
    expect(tookMs).toBeLessThan(250);
    expect(socket.destroyed).toBe(true);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});
