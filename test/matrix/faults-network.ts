import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { type Act, raw } from "../dialects/script.ts";
import type { Frame, Step } from "../support/wire-script.ts";
import {
  type Against,
  brokenOff,
  type Elsewhere,
  type Expected,
  type Family,
  harmless,
  rejected,
  retried,
  type Victim,
} from "./fault.ts";
import { chunk, halfBytes, head, HELLO, replyBytes, typeOfReply } from "./said.ts";

const nothing = (end: NonNullable<Step["end"]>): Act => raw({ frames: [], end });

/** On the connection itself. */
const bare = (frames: readonly Frame[], end: NonNullable<Step["end"]> = "cut"): Act => raw({ frames, end, bare: true });

const begun = (victim: Victim, headers: Readonly<Record<string, string>>): string =>
  head("200 OK", { "content-type": typeOfReply(victim), ...headers });

const CHUNKED = { "transfer-encoding": "chunked" };

/** Half a reply has come: of a stream its text stands; of one piece there is nothing. */
const inTheMiddle = ({ way }: Victim): Expected =>
  way === "stream" ? brokenOff("timeout", ["go on", "wait", "wait"]) : retried("timeout");

/** What has left is read before what follows. */
const READ: Frame = { waitMs: 1 };

const half = (victim: Victim, end: NonNullable<Step["end"]>): Act =>
  raw({ headers: { "content-type": typeOfReply(victim) }, frames: [...halfBytes(victim), READ], end });

const NO_REQUEST = "no request gets through, so none asks for one piece";
const unheard: Against = ({ way }) => (way === "stream" ? undefined : NO_REQUEST);

const nobody = { act: () => nothing("reset") };

const at = (baseUrl: string): Elsewhere => ({ baseUrl, [Symbol.asyncDispose]: () => Promise.resolve() });

/** Takes connections, and says the same to everybody. */
async function saying(bytes: Buffer): Promise<Elsewhere> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(bytes));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** A TLS record: an alert, fatal, of this kind. */
const alert = (kind: number): Buffer => Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, kind]);

/** No name may be so long: it is looked up nowhere. */
const NO_NAME = `${"x".repeat(64)}.test`;

export const NETWORK: Family = {
  name: "network",
  rows: ["C6", "D1", "D6"],
  faults: [
    { name: "connection refused", expected: retried("timeout", "wait", /refused/), away: true, ...nobody },
    {
      name: "the name of the server is not known",
      expected: retried("timeout", "wait", /name of x+\.test:\d+/),
      elsewhere: (port) => Promise.resolve(at(`http://${NO_NAME}:${port}/v1`)),
      impossible: unheard,
      ...nobody,
    },
    {
      name: "TLS to a server that does not speak it",
      expected: rejected("unknown", 78, /does not speak TLS/),
      elsewhere: (port) => Promise.resolve(at(`https://127.0.0.1:${port}/v1`)),
      impossible: unheard,
      ...nobody,
    },
    {
      name: "TLS alert: handshake failure",
      expected: retried("timeout", "wait", /TLS|ALERT/i),
      elsewhere: () => saying(alert(40)),
      impossible: unheard,
      ...nobody,
    },
    {
      name: "TLS alert: internal error",
      expected: retried("timeout", "wait", /TLS|ALERT/i),
      elsewhere: () => saying(alert(80)),
      impossible: unheard,
      ...nobody,
    },
    { name: "closed before the headers", expected: retried("timeout", "wait", /closed/), act: () => nothing("cut") },
    { name: "reset before the headers", expected: retried("timeout", "wait", /closed/), act: () => nothing("reset") },
    {
      name: "half-open: silent before the headers",
      expected: retried("timeout", "wait", /nothing for (?:120|90) s/),
      act: () => nothing("open"),
    },
    {
      name: "silent behind the headers",
      expected: retried("timeout", "wait", /nothing for (?:120|90) s/),
      act: (victim) => bare([begun(victim, CHUNKED)], "open"),
    },
    {
      name: "reset behind the headers",
      expected: retried("timeout", "wait", /closed/),
      act: (victim) => bare([begun(victim, CHUNKED)], "reset"),
    },
    {
      name: "no HTTP at all",
      expected: rejected("unknown", 78, /does not speak HTTP/),
      act: () => bare(["SSH-2.0-OpenSSH_9.6\r\n"]),
    },
    {
      name: "headers of 64 KB",
      expected: rejected("unknown", 78, /HTTP/),
      act: (victim) => bare([begun(victim, { "x-long": "x".repeat(65_536), "content-length": "0" })]),
    },
    { name: "cut in mid-body", expected: inTheMiddle, act: (victim) => half(victim, "cut") },
    { name: "reset in mid-body", expected: inTheMiddle, act: (victim) => half(victim, "reset") },
    { name: "silent in mid-body", expected: inTheMiddle, act: (victim) => half(victim, "open") },
    {
      name: "a chunk that is none in mid-body",
      expected: inTheMiddle,
      act: (victim) => bare([begun(victim, CHUNKED), ...halfBytes(victim).map(chunk), READ, "no number\r\n"]),
    },
    {
      name: "a body shorter than its length",
      expected: inTheMiddle,
      act: (victim) => {
        const bytes = Buffer.concat(halfBytes(victim));
        return bare([begun(victim, { "content-length": `${bytes.length + 1_000}` }), bytes]);
      },
    },
    {
      name: "an interim 103 before the reply",
      expected: harmless(),
      act: (victim) => {
        const bytes = Buffer.concat(replyBytes(victim, HELLO));
        const hints = head("103 Early Hints", { link: "</style.css>; rel=preload" });
        return bare([hints, begun(victim, { "content-length": `${bytes.length}` }), bytes]);
      },
    },
    {
      name: "HTTP/1.0: the end of the connection ends the reply",
      expected: harmless(),
      act: (victim) =>
        raw({ headers: { "content-type": typeOfReply(victim) }, frames: replyBytes(victim, HELLO), untilClose: true }),
    },
  ],
};
