import {
  FakeServer,
  type FakeServerOptions,
  type Judged,
  type Protocol,
  type Received,
  type ScriptOf,
} from "./fake-server.ts";
import { type ChatBody, inspectRequest, PrefixWatch } from "./protocol-police.ts";

export type ReceivedRequest = Received<ChatBody>;
export type FakeProviderOptions = FakeServerOptions<ChatBody>;
export type Script = ScriptOf<ChatBody>;

/** A fake server of chat completions. */
export class FakeProvider extends FakeServer<ChatBody> {
  constructor(steps: readonly Script[], options: FakeProviderOptions = {}) {
    super(chatProtocol(), steps, options);
  }
}

export const fakeProvider = async (
  steps: readonly Script[],
  options: FakeProviderOptions = {},
): Promise<FakeProvider> => new FakeProvider(steps, options).listen();

/** For one server: the heads it has seen are its own. */
function chatProtocol(): Protocol<ChatBody> {
  const prefixes = new PrefixWatch();
  return {
    base: "/v1",
    contentType: "text/event-stream",
    keyOf: ({ authorization }) => authorization?.replace(/^Bearer /, ""),
    isCall: (route) => route === "POST /v1/chat/completions",
    list: (route, models) =>
      route === "GET /v1/models" ? { object: "list", data: models.map((id) => ({ id, object: "model" })) } : undefined,
    judge: ({ bytes }): Judged<ChatBody> => inspectRequest(bytes),
    watch: (text, body, declared) => prefixes.check(text, body, declared),
    refusal: (why, message = "Invalid API key") =>
      why === "bad_key"
        ? { status: 401, body: { error: { message, code: "invalid_api_key" } } }
        : { status: 400, body: { error: { message } } },
  };
}
