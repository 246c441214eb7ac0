import assert from "node:assert/strict";
import { createServer } from "node:net";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { test } from "vitest";
import { fakeLocalServer, ollamaRoutes } from "../support/fake-local-server.ts";
import { Pty } from "../support/pty.ts";
import { Place } from "./program.ts";

/** Looking around ends after 300 ms, which a machine that runs other tests may not keep. */
const HASTE = { retry: 4 };

/** A port that nobody has. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

test(
  "[X2] without a model the choices are shown and work at once; a server that was started meanwhile is found",
  HASTE,
  async () => {
    const place = new Place();
    const port = await freePort();
    const env = {
      PATH: process.env["PATH"],
      HOME: place.folder,
      EVANDER_HOME: place.home,
      EVANDER_LOCAL_SERVERS: `ollama=127.0.0.1:${port}`,
      TERM: "xterm-256color",
    };
    try {
      await using pty = new Pty({ cwd: place.work, args: [], env });
      await pty.shown("1 paste a key · 2 sign in (not yet) · 3 use a local server · d demo");
      for (const [key, told] of [
        ["1", "evander auth login openai"],
        ["2", "Signing in is not supported yet"],
        ["d", "evander demo"],
        ["3", "Looking for Ollama"],
      ] as const) {
        pty.type(`${key}\r`);
        await pty.shown(told);
      }
      await pty.shown("No model provider was found", "Looking for Ollama");
      await using _server = await fakeLocalServer(ollamaRoutes({ "qwen3:8b": {} }), port);
      pty.type("3\r");
      await pty.shown(`(found on :${port})`);
      pty.type("\u0004");
      assert.equal(await pty.ended, 0);
    } finally {
      place.remove();
    }
  },
);
