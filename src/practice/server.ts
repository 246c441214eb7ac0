import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { reply } from "./reply.ts";
import { checkRequest, type RequestFault } from "./request.ts";
import { completion, completionEvents, faultBody, modelList } from "./completion.ts";

export interface PracticeServer {
  /** For example `http://127.0.0.1:40123/v1`. */
  readonly baseUrl: string;
  /** Ends open connections and frees the port. */
  close(): Promise<void>;
}

export interface PracticeOptions {
  /** The completion of this number, from 1 on, is refused as one too many, and its client asked to wait a second. */
  readonly refuses?: number | undefined;
}

/**
 * Starts the practice model: a rule-based program behind the OpenAI chat-completions wire, on a free loopback port.
 * It keeps no state but a count; everything it knows is in the request.
 */
export async function startPracticeServer({ refuses }: PracticeOptions = {}): Promise<PracticeServer> {
  let completions = 0;
  const isRefused = (): boolean => ++completions === refuses;
  const server = createServer((request, response) => {
    serve(request, response, isRefused).catch((error: unknown) => sendInternalError(response, error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { baseUrl: `http://127.0.0.1:${portOf(server)}/v1`, close: () => closeServer(server) };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the practice server has no port");
  return address.port;
}

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

async function serve(request: IncomingMessage, response: ServerResponse, isRefused: () => boolean): Promise<void> {
  if (!isLoopback(request.headers.host)) {
    sendFault(response, fault(403, "The practice model answers only requests whose Host is this machine."));
    return;
  }
  const path = (request.url ?? "").split("?", 1)[0];
  switch (`${request.method} ${path}`) {
    case "GET /v1/models":
      sendJson(response, 200, modelList());
      return;
    case "POST /v1/chat/completions":
      if (isRefused()) sendLimit(response);
      else await serveCompletion(request, response);
      return;
    default:
      sendFault(response, fault(404, `There is no ${request.method} ${path} here; use POST /v1/chat/completions.`));
  }
}

/** Guards against web pages that reach this port through a name of their own (DNS rebinding). */
const isLoopback = (host: string | undefined): boolean =>
  /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/iu.test(host ?? "");

async function serveCompletion(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  if (body === undefined) {
    sendFault(response, fault(413, `The request is larger than ${MAX_BODY_BYTES} bytes.`));
    return;
  }
  const checked = checkRequest(body);
  if (checked.type === "fault") {
    sendFault(response, checked);
    return;
  }
  const answer = reply(checked.request);
  if (!checked.request.stream) {
    sendJson(response, 200, completion(answer, checked.request, Date.now()));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  for (const event of completionEvents(answer, checked.request, Date.now())) response.write(event);
  response.end();
}

const MAX_BODY_BYTES = 256 * 1024 * 1024;

/** Undefined when the body is too large; it is then read to its end and dropped, so that the sender gets its answer. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  }
  return bytes <= MAX_BODY_BYTES ? Buffer.concat(chunks).toString("utf8") : undefined;
}

const fault = (status: number, message: string): RequestFault => ({ status, message, param: null, code: null });

const LIMIT = "This is one request too many, as the practice model was told to say once: try again in a second.";

function sendLimit(response: ServerResponse): void {
  response.writeHead(429, { "content-type": "application/json", "retry-after": "1" });
  response.end(JSON.stringify({ error: { message: LIMIT, type: "rate_limit_error", param: null, code: null } }));
}

const sendFault = (response: ServerResponse, what: RequestFault): void =>
  sendJson(response, what.status, faultBody(what));

function sendJson(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(body);
}

function sendInternalError(response: ServerResponse, error: unknown): void {
  if (response.destroyed) return;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const message = `The practice model failed: ${error instanceof Error ? error.message : String(error)}`;
  sendJson(response, 500, JSON.stringify({ error: { message, type: "server_error", param: null, code: null } }));
}
