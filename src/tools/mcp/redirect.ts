import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Where a browser comes back to: on this machine alone. */
export interface Redirect {
  readonly address: string;
  /** What it came back with, once it brings the state that it left with. Rejects when the signal aborts. */
  answer(state: string, signal: AbortSignal): Promise<URLSearchParams>;
  close(): Promise<void>;
}

const PATH = "/callback";
/** Somebody else may sit on a port: then another one is taken. */
const TRIES = 5;

export async function openRedirect(port: () => number = () => 0): Promise<Redirect> {
  for (let tries = 1; ; tries++) {
    const server = createServer();
    server.listen({ host: "127.0.0.1", port: port(), exclusive: true });
    try {
      await once(server, "listening");
      return redirectOn(server);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE" || tries >= TRIES) throw error;
    }
  }
}

function redirectOn(server: Server): Redirect {
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const found = Promise.withResolvers<URLSearchParams>();
  // Nobody may wait for it.
  found.promise.catch(() => undefined);
  let expected: string | undefined;
  server.on("request", (request, response) => {
    const given = answerIn(request, host);
    if (given === undefined || expected === undefined || !isSame(given.get("state") ?? "", expected))
      return say(response, 400, "This is no answer to a login that was begun here.");
    expected = undefined;
    say(response, 200, "That is all. You can close this page.");
    return found.resolve(given);
  });
  return {
    address: `http://${host}${PATH}`,
    answer: (state, signal) => {
      expected = state;
      const stop = (): void => found.reject(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
      return found.promise.finally(() => signal.removeEventListener("abort", stop));
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await Promise.resolve();
    },
  };
}

/** A page that was led to this port by another name asks in that name. */
function answerIn({ method, url = "", headers }: IncomingMessage, host: string): URLSearchParams | undefined {
  const asked = URL.parse(url, `http://${host}`);
  const isOurs = method === "GET" && headers.host === host && asked?.pathname === PATH;
  return isOurs ? asked.searchParams : undefined;
}

function say(response: ServerResponse, status: number, text: string): void {
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    "referrer-policy": "no-referrer",
    connection: "close",
  };
  response.writeHead(status, headers).end(`${text}\n`);
}

const isSame = (a: string, b: string): boolean => timingSafeEqual(hash(a), hash(b));

const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
