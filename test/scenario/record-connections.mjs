// Preloaded by a test: keeps every address this process tries to connect to, a line each, in the file $CONNECTIONS.
import { appendFileSync } from "node:fs";
import diagnostics from "node:diagnostics_channel";

diagnostics.subscribe("net.client.socket", (/** @type {any} */ { socket }) => {
  socket.on("connectionAttempt", (/** @type {string} */ address, /** @type {number} */ port) =>
    appendFileSync(String(process.env["CONNECTIONS"]), `${address} ${port}\n`),
  );
});
