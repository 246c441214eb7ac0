import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelReply } from "../../src/protocol/ports.ts";
import { userText } from "../../src/protocol/message.ts";
import { createTransport } from "../../src/model/transport.ts";
import type { Side } from "./client.ts";
import { says } from "./script.ts";
import { LS, NONCE, PROMPT } from "./talks.ts";
import { PLAIN_REQUEST } from "../support/plain-request.ts";

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export interface AnyServer extends AsyncDisposable {
  readonly origin: string;
  /** The paths that were asked for, in order. */
  readonly paths: readonly string[];
}

/** A server that is asked anything and answers as a proxy or a server of other things would. */
export async function anyServer(answer: (path: string) => Answer): Promise<AnyServer> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    paths.push(path);
    request.resume().on("end", () => {
      const { status = 200, headers = {}, body } = answer(path);
      response.writeHead(status, headers).end(body);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A good reply in the words of the dialect. */
export function goodAnswer({ wire, model }: Side): Answer {
  const frames = wire.events(says("Hello."), { model, streams: true }).map((event) => wire.frame(event, {}));
  return { headers: { "content-type": wire.contentType }, body: Buffer.concat(frames) };
}

/** One question to whatever is at this address. */
export async function askAt({ dialect, model }: Side, baseUrl: string, questions = 1): Promise<ModelReply> {
  const transport = createTransport({ dialect, provider: "fake", apiKey: "key", baseUrl });
  try {
    const asked = { provider: "fake", model, history: [userText("hi")], ...PLAIN_REQUEST };
    const ask = (): Promise<ModelReply> =>
      transport
        .open({ system: PROMPT, tools: [LS], nonce: NONCE })
        .prepare(asked)
        .send(() => undefined, new AbortController().signal);
    for (let more = 1; more < questions; more++) await ask();
    return await ask();
  } finally {
    transport.close();
  }
}
