import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Grant } from "../../src/protocol/keys.ts";

export interface FakeAuthority extends AsyncDisposable {
  readonly origin: string;
  /** Requests for a renewal, and those of them that were granted. */
  readonly asked: number;
  readonly renewals: number;
  /** The key that was granted last. */
  readonly newest: string;
  /** What somebody has who logged in. */
  grant(lifetimeMs?: number): Grant;
  /** Nothing is granted any more. */
  revoke(): void;
  /** What a person answers to the code of a device, after the authority was asked so many times. */
  decide(word: "granted" | "access_denied", after: number): void;
  /** Answers with this from here on; undefined: as it should. */
  answer(status: number | undefined, body?: unknown): void;
}

const DEVICE: [number, unknown] = [
  200,
  {
    device_code: "device-1",
    user_code: "WDJB-MJHT",
    verification_uri: "https://authority.test/device",
    expires_in: 60,
    interval: 0.001,
  },
];

/** An authority whose refresh tokens are good for one renewal each: a second use takes the whole family back (RFC 9700). */
export async function fakeAuthority(delay: () => Promise<void> = () => Promise.resolve()): Promise<FakeAuthority> {
  const seen = {
    asked: 0,
    renewals: 0,
    number: 0,
    valid: "",
    left: 0,
    decision: "granted",
    answer: undefined as undefined | [number, unknown],
  };
  const next = (): { readonly access: string; readonly refresh: string } => {
    seen.number++;
    seen.valid = `refresh-token-${seen.number}`;
    return { access: `granted-key-number-${seen.number}`, refresh: seen.valid };
  };
  const granted = (): [number, unknown] => {
    const { access, refresh } = next();
    return [200, { access_token: access, refresh_token: refresh, expires_in: 3_600, token_type: "bearer" }];
  };
  const polled = (form: URLSearchParams): [number, unknown] => {
    if (form.get("device_code") !== "device-1") return [400, { error: "invalid_grant" }];
    if (seen.left-- > 0) return [400, { error: "authorization_pending" }];
    return seen.decision === "granted" ? granted() : [400, { error: seen.decision }];
  };
  const renew = (form: URLSearchParams): [number, unknown] => {
    seen.asked++;
    if (seen.answer !== undefined) return seen.answer;
    if (form.get("grant_type")?.endsWith(":device_code") === true) return polled(form);
    if (form.get("grant_type") !== "refresh_token" || form.get("client_id") !== "evander-test")
      return [400, { error: "invalid_request" }];
    if (form.get("refresh_token") !== seen.valid) {
      seen.valid = "none any more";
      return [400, { error: "invalid_grant", error_description: "used twice" }];
    }
    seen.renewals++;
    return granted();
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    await delay();
    const isDevice = request.url === "/device";
    const [status, body] = isDevice ? DEVICE : renew(new URLSearchParams(Buffer.concat(chunks).toString()));
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    get asked() {
      return seen.asked;
    },
    get renewals() {
      return seen.renewals;
    },
    get newest() {
      return `granted-key-number-${seen.number}`;
    },
    grant: (lifetimeMs) => {
      const { access, refresh } = next();
      return {
        secret: access,
        refreshToken: refresh,
        tokenUrl: `${origin}/token`,
        clientId: "evander-test",
        ...(lifetimeMs !== undefined && { expiresMs: Date.now() + lifetimeMs }),
      };
    },
    revoke: () => {
      seen.valid = "none any more";
    },
    decide: (word, after) => {
      seen.decision = word;
      seen.left = after;
    },
    answer: (status, body) => {
      seen.answer = status === undefined ? undefined : [status, body];
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
