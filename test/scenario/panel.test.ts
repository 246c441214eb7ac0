import assert from "node:assert/strict";
import { test } from "vitest";
import { fakeLocalServer, ollamaRoutes, type Route } from "../support/fake-local-server.ts";
import { Pty } from "../support/pty.ts";
import { PATIENT, Place } from "./program.ts";

test("[X2] without a model the choices are shown and work at once; a server that was started meanwhile is found", async () => {
  const place = new Place();
  const started = ollamaRoutes({ "qwen3:8b": {} });
  // It has its port from the beginning, so that no other test's server can come to have it.
  const routes = Object.fromEntries(Object.keys(started).map((path): [string, Route] => [path, "gone"]));
  await using server = await fakeLocalServer(routes);
  const env = {
    ...PATIENT,
    PATH: process.env["PATH"],
    HOME: place.folder,
    EVANDER_HOME: place.home,
    EVANDER_LOCAL_SERVERS: `ollama=127.0.0.1:${server.port}`,
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
    Object.assign(routes, started);
    pty.type("3\r");
    await pty.shown(`(found on :${server.port})`);
    pty.type("\u0004");
    assert.equal(await pty.ended, 0);
  } finally {
    place.remove();
  }
});
