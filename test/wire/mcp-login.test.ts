import { createServer } from "node:net";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { grantShelf } from "../../src/credentials/server-grants.ts";
import type { GrantShelf, Reach } from "../../src/protocol/mcp.ts";
import { judgeAuthority } from "../../src/tools/mcp/authority.ts";
import { openHttp } from "../../src/tools/mcp/http.ts";
import { logIn } from "../../src/tools/mcp/log-in.ts";
import { openRedirect } from "../../src/tools/mcp/redirect.ts";
import { type FakeMcpHttp, fakeMcpHttp } from "../support/fake-mcp-http.ts";

let folder: string;
let server: FakeMcpHttp;
let clock = 1_000_000;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "evander-mcp-"));
  server = await fakeMcpHttp();
  clock = 1_000_000;
});

afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const now = (): number => clock;
const shelf = (name = "calc"): GrantShelf => grantShelf(folder, name, now);

/** A browser whose user agrees. */
const agree = async (address: string): Promise<void> => {
  await (await fetch(address)).text();
};

const login = (given: Partial<Parameters<typeof logIn>[0]> = {}): Promise<void> =>
  logIn({ url: server.url, shelf: shelf(), fetch, now, tell: agree, ...given }, AbortSignal.timeout(5_000));

async function connected<T>(use: (client: Client) => Promise<T>, reach: Partial<Reach> = {}): Promise<T> {
  const client = new Client({ name: "test", version: "1" });
  const own = { type: "http", url: server.url, headers: () => Promise.resolve({}), grants: shelf(), ...reach } as const;
  await client.connect(await openHttp(own as Extract<Reach, { type: "http" }>, fetch, now));
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

const listed = (client: Client): Promise<readonly string[]> =>
  client.listTools().then(({ tools }) => tools.map(({ name }) => name));

test("[I5] a login by code with PKCE is kept for that server, and its calls carry what was granted", async () => {
  server.locked = true;
  await expect(connected(listed)).rejects.toThrow("evander mcp login");
  await login();
  expect(await connected(listed)).toEqual(["add"]);
  const [agreed, exchanged] = server.asked;
  expect(agreed).toMatchObject({ code_challenge_method: "S256", resource: server.url, response_type: "code" });
  expect(agreed?.["redirect_uri"]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/u);
  expect(exchanged).toMatchObject({ grant_type: "authorization_code", resource: server.url });
  expect(shelf().read()).toMatchObject({ resource: server.url, clientId: "client-1" });
});

test("[I5] what was granted is renewed before it runs out and when it is refused, once for all processes", async () => {
  server.locked = true;
  server.lifetime = 600;
  await login();
  clock += 560_000;
  const renewals = (): number => server.asked.filter((form) => form["grant_type"] === "refresh_token").length;
  expect(await Promise.all([connected(listed), connected(listed), connected(listed)])).toHaveLength(3);
  expect(renewals()).toBe(1);
  server.expire();
  expect(await connected(listed)).toEqual(["add"]);
  expect(renewals()).toBe(2);
  server.revoke();
  await expect(connected(listed)).rejects.toThrow("evander mcp login");
  expect(shelf().read()).toBeUndefined();
});

test("[I5] what was granted for one server, and its headers, are sent to no other", async () => {
  await using other = await fakeMcpHttp();
  server.locked = true;
  await login();
  const headers = () => Promise.resolve({ "x-own": "mine" });
  await connected(listed, { url: other.url, headers });
  expect(other.seen.every(({ authorization }) => authorization === undefined)).toBe(true);
  expect(other.seen[0]?.own).toBe("mine");
  // A redirect to another origin is the way out's to follow; nothing of ours goes with it.
  const sent: Headers[] = [];
  const elsewhere: typeof fetch = (input, init) => {
    sent.push(new Headers(init?.headers));
    return fetch(input, init);
  };
  const transport = await openHttp({ type: "http", url: server.url, headers, grants: shelf() }, elsewhere, now);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  await client.close();
  expect(sent[0]?.get("x-own")).toBe("mine");
});

test.each([
  ["resource", { resource: "https://bank.test/mcp" }, "another server"],
  ["authority", { issuer: "https://other.test" }, ""],
  ["authority", { authorization_endpoint: "file:///bin/sh" }, ""],
  ["authority", { authorization_endpoint: "http://127.0.0.1:22/" }, "open network"],
  ["authority", { token_endpoint: "http://169.254.169.254/latest" }, "open network"],
  ["authority", { registration_endpoint: "http://192.168.1.1/" }, "open network"],
  ["authority", { code_challenge_methods_supported: ["plain"] }, "PKCE"],
  ["authority", { code_challenge_methods_supported: undefined }, "PKCE"],
  ["authority", { registration_endpoint: undefined }, "make itself known"],
])("[I5] a login stops at what a hostile %s says: %j", async (which, said, why) => {
  if (which === "resource") server.resource = said;
  else server.authority = said;
  let opened = 0;
  const tell = async (address: string): Promise<void> => {
    opened += 1;
    await agree(address);
  };
  await expect(login({ tell })).rejects.toThrow(why);
  expect(opened).toBe(0);
});

test("[I5] an authority is judged by what it says of itself alone", () => {
  const whole = {
    issuer: "https://a.test",
    authorization_endpoint: "https://a.test/authorize",
    token_endpoint: "https://tokens.test/token",
    code_challenge_methods_supported: ["S256"],
  };
  const about = { issuer: "https://a.test", server: "https://mcp.test/mcp" };
  expect(judgeAuthority(whole, about)).toMatchObject({ type: "places" });
  for (const address of [
    "-u http://x",
    "file:///bin/sh",
    "javascript:alert(1)",
    "http://a.test/",
    "https://u:p@a.test/",
    "https://127.0.0.1/",
    "https://[::ffff:10.0.0.1]/",
    "https://localhost/",
    "https://a.test/#x",
    7,
  ])
    for (const name of ["authorization_endpoint", "token_endpoint", "registration_endpoint"])
      expect(judgeAuthority({ ...whole, [name]: address }, about), `${name} ${address}`).toMatchObject({
        type: "refused",
      });
  expect(judgeAuthority({ ...whole, issuer: "https://b.test" }, about)).toMatchObject({ type: "refused" });
});

test("[I5] an answer without the state that was sent is none, nor one that came by another name of this machine", async () => {
  const tell = async (address: string): Promise<void> => {
    const back = new URL(new URL(address).searchParams.get("redirect_uri") ?? "");
    const forged = new URL(back);
    forged.search = "?code=stolen&state=guessed";
    expect((await fetch(forged)).status).toBe(400);
    forged.search = "?code=stolen";
    expect((await fetch(forged)).status).toBe(400);
    forged.hostname = "localhost";
    forged.search = `?code=stolen&state=${new URL(address).searchParams.get("state") ?? ""}`;
    expect((await fetch(forged).catch(() => ({ status: 400 }))).status).toBe(400);
    await agree(address);
  };
  await login({ tell });
  expect(shelf().read()?.token).toMatch(/^access-/u);
});

test("[I5] where somebody else sits on the port of the answer, another one is taken", async () => {
  const squatter = createServer();
  squatter.listen(0, "127.0.0.1");
  await once(squatter, "listening");
  const taken = (squatter.address() as { port: number }).port;
  const ports = [taken, 0];
  const redirect = await openRedirect(() => ports.shift() ?? 0);
  expect(redirect.address).not.toContain(`:${taken}/`);
  await redirect.close();
  await expect(openRedirect(() => taken)).rejects.toThrow("EADDRINUSE");
  squatter.close();
  await once(squatter, "close");
});

test("[I5] a login that nobody answers ends when it is stopped, and leaves nothing behind", async () => {
  const stop = new AbortController();
  const tell = (): Promise<void> => {
    stop.abort(new Error("stopped"));
    return Promise.resolve();
  };
  await expect(logIn({ url: server.url, shelf: shelf(), fetch, now, tell }, stop.signal)).rejects.toThrow("stopped");
  expect(shelf().read()).toBeUndefined();
});
