import type { ClientRequest } from "node:http";
import { isObject, type JsonObject, objectInText } from "../protocol/json.ts";
import { isSafeAddress } from "../protocol/keys.ts";
import { type Tokens, tokensIn } from "../protocol/tokens.ts";

/** What an authority answered to a request for a token. */
export type TokenAnswer =
  | ({ readonly type: "granted" } & Tokens)
  /** The authority's own word, such as `invalid_grant`. */
  | { readonly type: "refused"; readonly code: string }
  /** Nobody answered, or not in a way that says anything of the grant. */
  | { readonly type: "failed" };

/** ms */
const LONGEST_WAIT_MS = 30_000;
/** Bytes. No answer of an authority is longer. */
const LONGEST_ANSWER = 1_048_576;

/** Asks an authority for a token (RFC 6749): of what it says nothing but its code is told. Never rejects. */
export async function askForToken(tokenUrl: string, form: Readonly<Record<string, string>>): Promise<TokenAnswer> {
  const answer = await postForm(tokenUrl, form);
  if (answer === undefined) return { type: "failed" };
  return answer.status >= 200 && answer.status < 300 ? granted(answer.body) : refused(answer);
}

function granted(body: JsonObject): TokenAnswer {
  const tokens = tokensIn(body);
  return tokens === undefined ? { type: "failed" } : { type: "granted", ...tokens };
}

/** Authorities name an error by its code, some of them inside an object. */
function refused({ status, body: { error } }: FormAnswer): TokenAnswer {
  const code = isObject(error) ? (error["code"] ?? error["type"]) : error;
  if (status < 400 || status >= 500 || typeof code !== "string" || !/^[\w-]{1,60}$/u.test(code))
    return { type: "failed" };
  return { type: "refused", code };
}

interface FormAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

/** The JSON object that a form is answered with; undefined where there is none. */
export async function postForm(url: string, form: Readonly<Record<string, string>>): Promise<FormAnswer | undefined> {
  if (!isSafeAddress(url)) return undefined;
  const body = new URLSearchParams(form).toString();
  const { request: send } = process.getBuiltinModule(url.startsWith("https:") ? "node:https" : "node:http");
  const request = send(url, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "content-length": Buffer.byteLength(body),
      accept: "application/json",
    },
    signal: AbortSignal.timeout(LONGEST_WAIT_MS),
    agent: false,
  });
  return answerTo(request, body);
}

function answerTo(request: ClientRequest, sent: string): Promise<FormAnswer | undefined> {
  const { promise, resolve } = Promise.withResolvers<FormAnswer | undefined>();
  request.on("error", () => resolve(undefined));
  request.on("response", (response) => {
    const chunks: Buffer[] = [];
    let length = 0;
    response.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > LONGEST_ANSWER) response.destroy(new Error("too long"));
    });
    response.on("error", () => resolve(undefined));
    response.on("end", () => {
      const body = objectInText(Buffer.concat(chunks).toString("utf8"));
      resolve(body && { status: response.statusCode ?? 0, body });
    });
  });
  request.end(sent);
  return promise;
}
