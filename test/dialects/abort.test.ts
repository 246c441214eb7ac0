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
import { VirtualTimers } from "../support/virtual-timers.ts";

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

/** Stops a call in a time that stands still: a stop that waited for any time would never end. */
async function stopped({ side, server, prompt, until }: Asking): Promise<Stopped> {
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  const { dialect, model } = side;
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const transport = createTransport({
    dialect,
    provider: "fake",
    apiKey: "key",
    baseUrl,
    connect: () => socket,
    timers: new VirtualTimers(),
  });
  const stop = new AbortController();
  const first = Promise.withResolvers<void>();
  const prepared = transport
    .open({ system: prompt, tools: [LS], nonce: NONCE })
    .prepare({ provider: "fake", model, history: [userText("hi")], ...PLAIN_REQUEST });
  const reply = prepared.send(() => first.resolve(), stop.signal);
  await until(first.promise);
  stop.abort();
  try {
    return { reply: await reply, socket };
  } finally {
    transport.close();
  }
}

test.for(SUBJECTS)(
  "[C6] a stop at once where a server takes the connection and never reads: $wire.mode",
  async (side) => {
    const sockets: Socket[] = [];
    const taken = Promise.withResolvers<void>();
    const server = await silent((socket) => {
      sockets.push(socket);
      taken.resolve();
    });
    try {
      const asked = { side, server, prompt: LONG_PROMPT, until: () => taken.promise };
      const { reply, socket } = await stopped(asked);
      expect(reply).toEqual({ type: "aborted", text: "", reasoning: "" });
      expect(socket.destroyed).toBe(true);
    } finally {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  },
);

test.for(SUBJECTS)("[C6] a stop at once where a server falls silent in its reply: $wire.mode", async (side) => {
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
    const { reply, socket } = await stopped(asked);
    expect(reply).toMatchObject({ type: "aborted", text: "Half " });
    expect(socket.destroyed).toBe(true);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});
