import type { ClientRequest } from "node:http";

/** What came of one small question to a server. */
export type Answer =
  | { readonly type: "json"; readonly status: number; readonly json: unknown }
  /** It answers, and not with JSON that could be read; `why` is a clause without a full stop. */
  | { readonly type: "other"; readonly status: number; readonly why: string }
  /** Nobody answers; without an error nothing came before the signal. */
  | { readonly type: "silent"; readonly error?: Error };

interface Limits {
  readonly signal: AbortSignal;
  /** A longer answer is not read to its end, bytes. */
  readonly longest: number;
}

/** Sends a request and reads its answer whole, until the signal. Never rejects, and follows no redirect. */
export async function ask(
  request: ClientRequest,
  body: string | undefined,
  { signal, longest }: Limits,
): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const stop = (): void => resolve({ type: "silent" });
  signal.addEventListener("abort", stop, { once: true });
  request.on("error", (error) => resolve({ type: "silent", error }));
  request.on("response", (response) => {
    const status = response.statusCode ?? 0;
    const chunks: Buffer[] = [];
    let length = 0;
    response.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > longest) resolve({ type: "other", status, why: "its answer does not end" });
    });
    response.on("error", () => resolve({ type: "other", status, why: "its answer broke off" }));
    response.on("end", () => resolve(readAnswer(status, Buffer.concat(chunks).toString("utf8"))));
  });
  if (signal.aborted) stop();
  else request.end(body);
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", stop);
    request.destroy();
  }
}

function readAnswer(status: number, text: string): Answer {
  if (status >= 300 && status < 400) return { type: "other", status, why: "it sends callers elsewhere" };
  try {
    return { type: "json", status, json: JSON.parse(text) };
  } catch {
    return { type: "other", status, why: "its answer is not JSON" };
  }
}

/** The body of an answer that went well. */
export const goodJson = (answer: Answer): unknown =>
  answer.type === "json" && answer.status >= 200 && answer.status < 300 ? answer.json : undefined;
