import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ListedTool } from "../../src/protocol/mcp.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A server of tools behind an address, and the authority of it. */
export interface FakeMcpHttp extends AsyncDisposable {
  readonly origin: string;
  readonly url: string;
  /** What each request to the server was sent with, in order. */
  readonly seen: readonly {
    readonly method: string;
    readonly authorization: string | undefined;
    readonly own: string | undefined;
  }[];
  /** What the authority was asked for, in order: the forms. */
  readonly asked: readonly Fields[];
  tools: readonly ListedTool[];
  /** Only who was granted something is answered. */
  locked: boolean;
  /** In place of what the authority, or the server, says of itself. */
  authority: Fields;
  resource: Fields;
  /** What is granted runs out after so many seconds. */
  lifetime: number;
  /** Everything that was granted holds no more; what renews it does. */
  expire(): void;
  /** Nothing that was granted is good for anything. */
  revoke(): void;
}

export const ADD: ListedTool = {
  name: "add",
  description: "Adds two numbers.",
  inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
  annotations: { readOnlyHint: true },
};

class Authority {
  readonly asked: Fields[] = [];
  readonly valid = new Set<string>();
  readonly refreshing = new Set<string>();
  private readonly codes = new Map<string, { readonly challenge: string; readonly redirect: string }>();

  authorise(query: URLSearchParams): string {
    const code = randomUUID();
    const redirect = query.get("redirect_uri") ?? "";
    this.asked.push(Object.fromEntries(query));
    this.codes.set(code, { challenge: query.get("code_challenge") ?? "", redirect });
    return `${redirect}?code=${code}&state=${query.get("state") ?? ""}`;
  }

  grant(form: URLSearchParams, lifetime: number): [number, unknown] {
    this.asked.push(Object.fromEntries(form));
    if (!this.isGood(form)) return [400, { error: "invalid_grant", error_description: "secret words" }];
    const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    this.valid.add(access);
    this.refreshing.add(refresh);
    return [200, { access_token: access, refresh_token: refresh, token_type: "Bearer", expires_in: lifetime }];
  }

  private isGood(form: URLSearchParams): boolean {
    if (form.get("client_id") !== "client-1") return false;
    if (form.get("grant_type") === "refresh_token") return this.refreshing.delete(form.get("refresh_token") ?? "");
    const code = this.codes.get(form.get("code") ?? "");
    this.codes.delete(form.get("code") ?? "");
    const verified = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    return code?.challenge === verified && code.redirect === form.get("redirect_uri");
  }
}

export async function fakeMcpHttp(): Promise<FakeMcpHttp> {
  const authority = new Authority();
  const seen: { method: string; authorization: string | undefined; own: string | undefined }[] = [];
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fake: FakeMcpHttp = {
    origin,
    url: `${origin}/mcp`,
    seen,
    asked: authority.asked,
    tools: [ADD],
    locked: false,
    authority: {},
    resource: {},
    lifetime: 3_600,
    expire: () => authority.valid.clear(),
    revoke: () => {
      authority.valid.clear();
      authority.refreshing.clear();
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  const places: Readonly<Record<string, (body: string, query: URLSearchParams) => [number, unknown, Fields?]>> = {
    "/.well-known/oauth-protected-resource/mcp": () => [
      200,
      { resource: fake.url, authorization_servers: [origin], ...fake.resource },
    ],
    "/.well-known/oauth-authorization-server": () => [
      200,
      {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        ...fake.authority,
      },
    ],
    "/register": () => [201, { client_id: "client-1" }],
    "/authorize": (_body, query) => [302, {}, { location: authority.authorise(query) }],
    "/token": (body) => authority.grant(new URLSearchParams(body), fake.lifetime),
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { pathname, searchParams } = new URL(request.url ?? "", origin);
    const [status, answer, headers = {}] = places[pathname]?.(body, searchParams) ?? rpc(request, pathname, body);
    response.writeHead(status, { "content-type": "application/json", ...(headers as Record<string, string>) });
    response.end(status === 202 ? "" : JSON.stringify(answer));
  };
  const rpc = ({ method, headers }: IncomingMessage, path: string, body: string): [number, unknown, Fields?] => {
    if (path !== "/mcp") return [404, {}];
    if (method !== "POST") return [405, {}];
    const { authorization, "x-own": own } = headers;
    const message = JSON.parse(body) as { id?: number; method: string; params?: Fields };
    seen.push({ method: message.method, authorization, own: typeof own === "string" ? own : undefined });
    if (fake.locked && !authority.valid.has(authorization?.replace("Bearer ", "") ?? ""))
      return [401, { error: "invalid_token" }, { "www-authenticate": 'Bearer error="invalid_token"' }];
    if (message.id === undefined) return [202, {}];
    return [200, { jsonrpc: "2.0", id: message.id, ...answerTo(message, fake.tools) }];
  };
  return fake;
}

function answerTo({ method, params }: { method: string; params?: Fields }, tools: readonly ListedTool[]): Fields {
  switch (method) {
    case "initialize":
      return {
        result: {
          protocolVersion: params?.["protocolVersion"],
          capabilities: { tools: {} },
          serverInfo: { name: "fake", version: "1" },
        },
      };
    case "tools/list":
      return { result: { tools } };
    case "tools/call":
      return { result: { content: [{ type: "text", text: JSON.stringify(params?.["arguments"]) }] } };
    case "ping":
      return { result: {} };
    default:
      return { error: { code: -32_601, message: "no such method" } };
  }
}
