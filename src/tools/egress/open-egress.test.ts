import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import type { EgressRequest } from "../../protocol/egress.ts";
import { type EgressOptions, openEgress } from "./open-egress.ts";

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serving(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

const signal = new AbortController().signal;
const asking = (url: string, more: Partial<EgressRequest> = {}): EgressRequest => ({
  url,
  purpose: "tool",
  signal,
  ...more,
});
const localhost = { allow: [{ for: "tool", to: "localhost" }] } as const satisfies EgressOptions;
const text = (body: Uint8Array): string => Buffer.from(body).toString();

test("[E9] what its owner allows of this machine is reached, for that purpose alone", async () => {
  const port = await serving((_, response) => response.end("here"));
  const egress = openEgress(localhost);
  const { status, body, url } = await egress.request(asking(`http://127.0.0.1:${port}/a?b`));
  expect([status, text(body), url]).toEqual([200, "here", `http://127.0.0.1:${port}/a?b`]);
  await expect(egress.request(asking(`http://127.0.0.1:${port}/`, { purpose: "mcp" }))).rejects.toMatchObject({
    kind: "blocked",
    message: expect.stringContaining("egress.allow"),
  });
  await expect(openEgress().request(asking(`http://localhost:${port}/`))).rejects.toMatchObject({ kind: "blocked" });
});

test("[E9] no allowance opens what gives out the keys of a machine in a cloud", async () => {
  const allow = ["169.254.169.254", "169.254.0.0/16", "fd00:ec2::254", "metadata.google.internal"].map(
    (to) => ({ for: "tool", to }) as const,
  );
  const egress = openEgress({ allow, resolve: async () => ["169.254.169.254"] });
  for (const host of ["169.254.169.254", "0xa9fea9fe", "[::ffff:a9fe:a9fe]", "metadata.google.internal", "example.com"])
    await expect(egress.request(asking(`http://${host}/latest`))).rejects.toMatchObject({
      kind: "blocked",
      message: expect.stringContaining("never reached"),
    });
});

/** Names lead to these addresses; whatever is dialled ends at a server on this machine. */
function towards(port: number, addresses: Readonly<Record<string, readonly string[]>>) {
  const asked: string[] = [];
  const dialled: string[] = [];
  const egress = openEgress({
    resolve: async (host) => {
      asked.push(host);
      return addresses[host] ?? [];
    },
    connect: (dial) => {
      dial.lookup(dial.host, { all: true }, (_, found) => dialled.push(`${dial.host} ${JSON.stringify(found)}`));
      const socket = connect(port, "127.0.0.1");
      const [remoteAddress] = addresses[dial.host] ?? [];
      return Object.defineProperty(socket, "remoteAddress", { value: remoteAddress });
    },
  });
  return { egress, asked, dialled };
}

test("[E9] a name is looked up once, and the connection goes to what was checked", async () => {
  const port = await serving((request, response) => response.end(request.headers.host));
  const { egress, asked, dialled } = towards(port, { "example.com": ["93.184.216.34", "2606:2800::1"] });
  expect(text((await egress.request(asking("http://EXAMPLE.com./"))).body)).toBe("example.com");
  expect(asked).toEqual(["example.com"]);
  expect(dialled).toEqual([
    'example.com [{"address":"93.184.216.34","family":4},{"address":"2606:2800::1","family":6}]',
  ]);
});

test("[E9] one address inside is enough, of whichever kind and wherever it stands among others", async () => {
  const port = await serving((_, response) => response.end("never"));
  const { egress, dialled } = towards(port, {
    "mixed.example": ["93.184.216.34", "10.0.0.1"],
    "six.example": ["93.184.216.34", "::ffff:127.0.0.1"],
    "none.example": [],
  });
  for (const host of ["mixed.example", "six.example", "none.example"])
    await expect(egress.request(asking(`http://${host}/`))).rejects.toMatchObject({ kind: "blocked" });
  expect(dialled).toEqual([]);
});

test("[E9] a connection that has led elsewhere than it was checked for carries nothing", async () => {
  const got: IncomingMessage[] = [];
  const port = await serving((request, response) => (got.push(request), response.end()));
  const egress = openEgress({
    resolve: async () => ["93.184.216.34"],
    connect: () => connect(port, "127.0.0.1"),
  });
  await expect(egress.request(asking("http://example.com/"))).rejects.toMatchObject({ kind: "blocked" });
  expect(got).toEqual([]);
});

test("[E9] each redirect is judged anew, and tells another server neither key nor body", async () => {
  const seen: string[] = [];
  const port = await serving((request, response) => {
    const { authorization = "-", cookie = "-" } = request.headers;
    seen.push(`${request.method} ${request.headers.host} ${request.url} ${authorization} ${cookie}`);
    const to = { "/away": "http://other.example/end", "/in": "http://127.0.0.1/", "/file": "file:///etc/passwd" };
    const location = to[request.url as keyof typeof to];
    if (location === undefined) response.end("end");
    else response.writeHead(307, { location }).end();
  });
  const { egress } = towards(port, { "example.com": ["93.184.216.34"], "other.example": ["93.184.216.35"] });
  const headers = { Authorization: "Bearer k", Cookie: "c=1" };
  const end = await egress.request(asking("http://example.com/away", { method: "POST", headers, body: "secret" }));
  expect([end.url, text(end.body)]).toEqual(["http://other.example/end", "end"]);
  expect(seen).toEqual(["POST example.com /away Bearer k c=1", "POST other.example /end - -"]);
  for (const path of ["in", "file"])
    await expect(egress.request(asking(`http://example.com/${path}`))).rejects.toMatchObject({ kind: "blocked" });
});

test("[E9] five redirects are followed, a sixth is not", async () => {
  const port = await serving((request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) response.end("end");
    else response.writeHead(302, { location: `/${left - 1}` }).end();
  });
  const egress = openEgress(localhost);
  expect(text((await egress.request(asking(`http://localhost:${port}/5`))).body)).toBe("end");
  await expect(egress.request(asking(`http://localhost:${port}/6`))).rejects.toMatchObject({ kind: "blocked" });
});

test("[E9] a long body is cut and told, a packed one is unpacked, a bomb is refused", async () => {
  const port = await serving((request, response) => {
    if (request.url === "/long") response.end("x".repeat(2_000));
    else if (request.url === "/gzip") response.setHeader("content-encoding", "gzip").end(gzipSync("packed"));
    else response.setHeader("content-encoding", "br").end(brotliCompressSync(Buffer.alloc(20_000_000)));
  });
  const egress = openEgress(localhost);
  const long = await egress.request(asking(`http://localhost:${port}/long`, { most: 1_000 }));
  expect([long.body.length, long.cut]).toEqual([1_000, true]);
  expect(text((await egress.request(asking(`http://localhost:${port}/gzip`))).body)).toBe("packed");
  await expect(egress.request(asking(`http://localhost:${port}/bomb`))).rejects.toMatchObject({
    kind: "failed",
    message: expect.stringContaining("unpacks"),
  });
});

test("[E9] a server that never answers is given up, whoever asked may go before", async () => {
  const port = await serving(() => undefined);
  const clock = { sleep: async () => undefined };
  await expect(openEgress({ ...localhost, clock }).request(asking(`http://localhost:${port}/`))).rejects.toMatchObject({
    kind: "failed",
  });
  const over = new AbortController();
  const asked = openEgress(localhost).request(asking(`http://localhost:${port}/`, { signal: over.signal }));
  over.abort(new Error("stopped"));
  await expect(asked).rejects.toThrow("stopped");
});

test("[I5] a fetch of it streams, follows what it may, and refuses what it must not reach", async () => {
  const port = await serving((request, response) => {
    if (request.method === "POST") request.pipe(response.setHeader("content-type", "text/event-stream"));
    else response.writeHead(204).end();
  });
  const fetched = openEgress(localhost).fetchFor("tool");
  const echoed = await fetched(`http://localhost:${port}/`, { method: "POST", body: "said" });
  expect([echoed.status, await echoed.text(), echoed.url]).toEqual([200, "said", `http://localhost:${port}/`]);
  expect((await fetched(`http://localhost:${port}/`)).status).toBe(204);
  await expect(fetched("http://10.0.0.1/")).rejects.toMatchObject({ kind: "blocked" });
});
