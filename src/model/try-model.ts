import type { Failure } from "../protocol/failure.ts";
import { userText } from "../protocol/message.ts";
import type { ModelTrial } from "../protocol/model-trial.ts";
import type { ModelReply, ModelRequest } from "../protocol/ports.ts";
import type { ProviderFound } from "../protocol/provider.ts";
import { loadDialect } from "./dialects.ts";
import { calledTool, READY, READY_QUESTION, READY_TOKENS, speaksOfTools } from "./discovery/tool-check.ts";
import { verdict } from "./failure/verdict.ts";
import { createTransport, type Transport } from "./transport.ts";

/** A model may have to be loaded first, ms. */
const PATIENCE_MS = 30_000;

/** What is asked of the server beside an answer. */
interface Way {
  readonly streaming: boolean;
  readonly tools: boolean;
}

/**
 * Makes one tiny request as a turn would make it, and says what it showed. A server that refuses to stream, or to be
 * given a tool, is asked once more without. Throws a TypeError for an address or key that cannot be used.
 */
export async function tryModel(found: ProviderFound): Promise<ModelTrial> {
  const { provider, baseUrl, apiKey, api = "chat_completions", facts } = found;
  const dialect = await loadDialect(api);
  const transport = createTransport({ dialect, baseUrl, apiKey, provider, maxOutput: facts?.maxOutput });
  try {
    let way: Way = { streaming: true, tools: true };
    for (;;) {
      const trial = await tryOnce(transport, found, way);
      const next = trial.failure === null ? undefined : otherWay(trial.failure, way);
      if (next === undefined) return trial;
      way = next;
    }
  } finally {
    transport.close();
  }
}

/** Without what was refused; undefined: nothing that can be left out was. */
function otherWay(failure: Failure, { streaming, tools }: Way): Way | undefined {
  if (streaming && failure.refusesStreaming === true) return { streaming: false, tools };
  const { status = 0, message } = failure;
  return tools && status >= 400 && status < 500 && speaksOfTools(message) ? { streaming, tools: false } : undefined;
}

async function tryOnce(transport: Transport, found: ProviderFound, way: Way): Promise<ModelTrial> {
  const { provider, model, baseUrl, source } = found;
  const conversation = transport.open({ system: "", tools: way.tools ? [READY] : [], nonce: "" });
  const began = performance.now();
  let firstMs: number | null = null;
  const sinceBegin = (): number => Math.round(performance.now() - began);
  const reply = await conversation
    .prepare(questionTo({ provider, model }, way))
    .send(() => (firstMs ??= sinceBegin()), AbortSignal.timeout(PATIENCE_MS));
  const failure = failureIn(reply);
  return {
    provider,
    model,
    baseUrl,
    source,
    streams: failure === undefined ? way.streaming : null,
    tools: way.tools ? toolsIn(reply) : "refused",
    firstMs,
    totalMs: sinceBegin(),
    usage: ("usage" in reply ? reply.usage : undefined) ?? null,
    failure: failure ?? null,
  };
}

function toolsIn(reply: ModelReply): ModelTrial["tools"] {
  const called = calledTool(reply);
  if (called === null) return null;
  return called ? "called" : "not-called";
}

const questionTo = (whom: Pick<ProviderFound, "provider" | "model">, { streaming }: Way): ModelRequest => ({
  ...whom,
  history: [userText(READY_QUESTION)],
  compaction: undefined,
  tail: [],
  noTools: false,
  continues: false,
  maxOutput: READY_TOKENS,
  streaming,
});

function failureIn(reply: ModelReply): Failure | undefined {
  if (reply.type === "failure") return reply.failure;
  if (reply.type !== "aborted") return undefined;
  return { ...verdict("timeout", "too-slow"), message: `It did not answer within ${PATIENCE_MS / 1_000} s.` };
}
