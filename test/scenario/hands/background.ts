import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { goesSoon } from "../../support/gone.ts";
import { say } from "../../support/wire-script.ts";
import { calling } from "../week/model.ts";
import { told } from "./model.ts";
import type { Workshop } from "./workshop.ts";

/** A server runs beside the conversation and ends with it. It holds a connection, so that nobody has to guess when. */
export async function background(shop: Workshop): Promise<string> {
  const desk = createServer().listen(0, "127.0.0.1");
  await once(desk, "listening");
  try {
    writeFileSync(join(shop.place.folder, "port"), String((desk.address() as AddressInfo).port));
    return await serve(shop, once(desk, "connection") as Promise<[Socket]>);
  } finally {
    desk.close();
  }
}

async function serve(shop: Workshop, connection: Promise<[Socket]>): Promise<string> {
  shop.model.script(
    calling("terminal", { command: "node server.mjs", background: true }),
    told(["Started as p1 (pid "], (heard) => {
      shop.keep("pid", /\(pid (\d+)\)/u.exec(heard)?.[1] ?? "");
      return say("It starts.");
    }),
    calling("process", { action: "poll", id: "p1" }),
    told(["runs since", "the kettle serves"], say("It serves.")),
  );
  await shop.send("Serve it.");
  const pty = await shop.talk();
  await pty.shown("Allow? [", "Serve it.");
  pty.type("y\r");
  await shop.answered("Serve it.");
  const [socket] = await connection;
  const gone = once(socket.on("error", () => undefined).resume(), "close");
  await shop.send("Does it serve?");
  await shop.answered("Does it serve?");
  assert.equal(socket.closed, false);
  await shop.leave();
  await gone;
  const pid = Number(shop.recall("pid"));
  assert.ok(pid > 1);
  return `started with a yes, polled without one; ${(await goesSoon(pid)) ? "gone" : "still there"} when the session has ended`;
}
