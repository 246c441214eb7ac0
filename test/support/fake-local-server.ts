import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a path answers: JSON; or a status with JSON or text; or nothing, ever; or the line is cut, as if nobody were there. */
export type Route =
  | { readonly json: unknown; readonly status?: number; readonly headers?: Record<string, string> }
  | { readonly text: string; readonly status?: number; readonly headers?: Record<string, string> }
  | "hang"
  | "gone"
  | ((body: Record<string, unknown>) => Route);

/** A program that serves models on loopback, at a port of its own. Other paths are 404. */
export interface FakeLocalServer extends AsyncDisposable {
  readonly port: number;
  /** `GET /path` and `POST /path`, as they came. */
  readonly asked: readonly string[];
}

export async function fakeLocalServer(routes: Readonly<Record<string, Route>>): Promise<FakeLocalServer> {
  const asked: string[] = [];
  const answer = (route: Route | undefined, body: string, response: ServerResponse): void => {
    if (route === "hang") return;
    if (route === "gone") return void response.destroy();
    if (typeof route === "function") return answer(route(JSON.parse(body) as Record<string, unknown>), "", response);
    const { status = 200, headers = {}, ...content } = route ?? { status: 404, text: "not found" };
    response.writeHead(status, { "content-type": "json" in content ? "application/json" : "text/plain", ...headers });
    response.end("json" in content ? JSON.stringify(content.json) : content.text);
  };
  const server = createServer((request: IncomingMessage, response) => {
    asked.push(`${request.method} ${request.url}`);
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => answer(routes[request.url ?? ""], body, response));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface FakeOllamaModel {
  readonly capabilities?: readonly string[];
  /** Of the loaded model, tokens. */
  readonly loaded?: number;
  readonly longest?: number;
  readonly parameters?: string;
}

/** The four questions that Ollama answers to us. */
export const ollamaRoutes = (models: Readonly<Record<string, FakeOllamaModel>>): Record<string, Route> => ({
  "/api/tags": { json: { models: Object.keys(models).map((name) => ({ name, digest: `digest-of-${name}` })) } },
  "/api/ps": {
    json: {
      models: Object.entries(models).flatMap(([name, { loaded }]) =>
        loaded === undefined ? [] : [{ name, context_length: loaded }],
      ),
    },
  },
  "/api/show": ({ model }) => {
    const { capabilities = ["completion", "tools"], longest, parameters } = models[String(model)] ?? {};
    return { json: { capabilities, parameters, model_info: { "qwen3.context_length": longest } } };
  },
});
