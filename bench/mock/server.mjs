// A scripted model on a free port of the loopback; prints {"port":N} when it is ready and dies with its parent.
//   POST /__run {id, …}      registers a script        GET /__run?id=  its requests        DELETE /__run?id=  forgets it
//   POST /r/ID/v1/chat/completions
// Stateless: the iteration is read off the request by counting tool results, so any number of sessions share a script.
import http from "node:http";
import { callEvents, textEvents } from "./chat.mjs";
import { comparePrefixes } from "./prefix.mjs";

/** @typedef {import("../harness/mock.mjs").Script} Script */
/** @typedef {import("../harness/mock.mjs").LogEntry} LogEntry */
/** @typedef {{ script: Script, log: LogEntry[], bodies: Buffer[] }} Run */

const now = () => Number(process.hrtime.bigint()) / 1e6;
const RECEIPT = Buffer.from('"role":"tool"');
const USER = Buffer.from('"role":"user"');

/** @type {Map<string, Run>} */
const runs = new Map();

/**
 * @param {Buffer} body
 * @param {number} from
 */
function countReceipts(body, from) {
  let count = 0;
  for (let at = body.indexOf(RECEIPT, from); at >= 0; at = body.indexOf(RECEIPT, at + 1)) count++;
  return count;
}

/**
 * @param {Run} run
 * @param {Buffer} body
 * @param {http.ServerResponse} response
 * @param {number} arrivedMs
 */
function reply({ script, log, bodies }, body, response, arrivedMs) {
  const from = script.lastTurnOnly === true ? Math.max(0, body.lastIndexOf(USER)) : 0;
  const iteration = Math.floor(countReceipts(body, from) / (script.tools ?? 1));
  const isFinal = iteration >= script.iterations;
  /** @type {LogEntry} */
  const entry = { iteration, size: body.length, arrivedMs, endMs: 0 };
  log.push(entry);
  if (script.keepBodies === true) bodies.push(body);
  const write = () => {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    const events = isFinal ? textEvents(script) : callEvents(script.tools ?? 1, iteration);
    if (isFinal && script.pace !== undefined) writePaced(events, script.pace, response, entry);
    else if (isFinal && script.delta !== undefined) writeBurst(events, response, entry);
    else end(response, entry, events.join(""));
  };
  if (script.latencyMs === undefined) write();
  else setTimeout(write, script.latencyMs);
}

/**
 * @param {http.ServerResponse} response
 * @param {LogEntry} entry
 * @param {string} [last]
 */
function end(response, entry, last) {
  response.end(last);
  entry.endMs = now();
}

/**
 * One socket write for each event, as fast as the reader takes them.
 * @param {readonly string[]} events
 * @param {http.ServerResponse} response
 * @param {LogEntry} entry
 */
function writeBurst(events, response, entry) {
  let at = 0;
  const pump = () => {
    while (at < events.length) {
      if (!response.write(events[at++])) return response.once("drain", pump);
    }
    return end(response, entry);
  };
  pump();
}

/**
 * @param {readonly string[]} events
 * @param {number} perSecond
 * @param {http.ServerResponse} response
 * @param {LogEntry} entry
 */
function writePaced(events, perSecond, response, entry) {
  const startedMs = now();
  const writes = (entry.writes = /** @type {number[]} */ ([]));
  const tick = () => {
    const due = Math.min(events.length, Math.floor(((now() - startedMs) * perSecond) / 1000) + 1);
    while (writes.length < due) {
      writes.push(now());
      response.write(events[writes.length - 1]);
    }
    if (due === events.length) end(response, entry);
    else setTimeout(tick, 1);
  };
  tick();
}

/**
 * @param {string} method
 * @param {URL} url
 * @param {Buffer} body
 * @returns {unknown}
 */
function control(method, url, body) {
  if (url.pathname === "/__cpu") return process.cpuUsage();
  const id = url.searchParams.get("id") ?? "";
  const run = runs.get(id);
  switch (method) {
    case "POST": {
      const script = JSON.parse(body.toString());
      runs.set(script.id, { script, log: [], bodies: [] });
      return {};
    }
    case "DELETE":
      runs.delete(id);
      return {};
    default: {
      const log = run?.log ?? [];
      const bodies = run?.bodies ?? [];
      const requests = bodies.map((text, index) => ({ iteration: log[index].iteration, body: text.toString() }));
      return { log, prefix: comparePrefixes(requests) };
    }
  }
}

const server = http.createServer({ keepAliveTimeout: 900_000, noDelay: true }, (request, response) => {
  const arrivedMs = now();
  /** @type {Buffer[]} */
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    const body = parts.length === 1 ? parts[0] : Buffer.concat(parts);
    const url = new URL(request.url ?? "/", "http://mock");
    const [, kind, id = "", ...rest] = url.pathname.split("/");
    const run = kind === "r" && rest.join("/") === "v1/chat/completions" ? runs.get(id) : undefined;
    if (run !== undefined) return reply(run, body, response, arrivedMs);
    if (kind.startsWith("__")) return response.end(JSON.stringify(control(request.method ?? "GET", url, body)));
    return response.writeHead(404).end();
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object")
    process.stdout.write(`${JSON.stringify({ port: address.port })}\n`);
});
process.on("SIGTERM", () => process.exit(0));
process.stdin.on("end", () => process.exit(0)).resume();
