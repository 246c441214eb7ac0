import type { Fetch } from "../../protocol/egress.ts";
import { isObject, objectInText, type JsonObject } from "../../protocol/json.ts";
import type { ServerGrant } from "../../protocol/mcp.ts";
import { type Tokens, tokensIn } from "../../protocol/tokens.ts";

/** Characters. No answer of an authority is longer. */
const LONGEST_ANSWER = 1_048_576;
/** ms */
const PATIENCE_MS = 30_000;

/** An authority said no; `code` is its own word, such as `invalid_grant`. */
export class AuthorityError extends Error {
  override readonly name = "AuthorityError";
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

export interface Asking {
  readonly fetch: Fetch;
  readonly signal?: AbortSignal;
}

/** Posts a form or a JSON object to an authority; the object it answers with. Rejects with AuthorityError. */
export async function postTo(url: string, body: URLSearchParams | JsonObject, asking: Asking): Promise<JsonObject> {
  const isForm = body instanceof URLSearchParams;
  const signals = [AbortSignal.timeout(PATIENCE_MS), ...(asking.signal === undefined ? [] : [asking.signal])];
  const response = await asking.fetch(url, {
    method: "POST",
    // What is posted holds secrets, and is for this address alone.
    redirect: "error",
    headers: {
      "content-type": isForm ? "application/x-www-form-urlencoded" : "application/json",
      accept: "application/json",
    },
    body: isForm ? body.toString() : JSON.stringify(body),
    signal: AbortSignal.any(signals),
  });
  const answer = objectInText((await response.text()).slice(0, LONGEST_ANSWER));
  if (response.ok && answer !== undefined) return answer;
  throw refusalIn(url, response.status, answer);
}

/** Of what an authority says nothing but its code is told. */
function refusalIn(url: string, status: number, answer: JsonObject | undefined): AuthorityError {
  const error = answer?.["error"];
  const code = isObject(error) ? error["code"] : error;
  const known = typeof code === "string" && /^[\w-]{1,60}$/u.test(code) ? code : undefined;
  return new AuthorityError(`${new URL(url).origin} answered ${known ?? status}`, known);
}

/** What names this program to the authority. */
export type Client = Pick<ServerGrant, "tokenUrl" | "clientId" | "clientSecret" | "resource">;

/** Asks for a token, for one server alone (RFC 8707). Rejects with AuthorityError. */
export async function requestGrant(
  client: Client,
  form: Readonly<Record<string, string>>,
  asking: Asking & { readonly now: () => number },
): Promise<ServerGrant> {
  const { tokenUrl, clientId, clientSecret, resource } = client;
  const own = { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }), resource };
  const answer = await postTo(tokenUrl, new URLSearchParams({ ...form, ...own }), asking);
  const tokens = tokensIn(answer);
  if (tokens === undefined)
    throw new AuthorityError(`${new URL(tokenUrl).origin} granted no token that a request can carry`);
  return grantOf(client, tokens, asking.now());
}

function grantOf(client: Client, { secret, refreshToken, lifetimeMs }: Tokens, nowMs: number): ServerGrant {
  const { tokenUrl, clientId, clientSecret, resource } = client;
  return {
    token: secret,
    tokenUrl,
    clientId,
    resource,
    ...(clientSecret !== undefined && { clientSecret }),
    ...(refreshToken !== undefined && { refreshToken }),
    ...(lifetimeMs !== undefined && { expiresMs: nowMs + lifetimeMs }),
  };
}
