import { createHash, randomBytes } from "node:crypto";
import { discoverOAuthServerInfo, extractWWWAuthenticateParams } from "@modelcontextprotocol/client";
import type { Fetch } from "../../protocol/egress.ts";
import type { GrantShelf } from "../../protocol/mcp.ts";
import { isObject } from "../../protocol/json.ts";
import { reasonOf } from "../../protocol/reason-of.ts";
import { type AuthorityPlaces, isResourceOf, judgeAuthority } from "./authority.ts";
import { isFor } from "./bearer.ts";
import { openRedirect } from "./redirect.ts";
import { postTo, requestGrant } from "./token-request.ts";

/** Why nobody is logged in; the message is a clause about the server. */
class LoginRefused extends Error {
  override readonly name = "LoginRefused";
}

export interface LoginOptions {
  /** Of the server of tools. */
  readonly url: string;
  readonly shelf: GrantShelf;
  /** Judges every address that is asked. */
  readonly fetch: Fetch;
  readonly now: () => number;
  /** Shows a person the address at which they agree. */
  readonly tell: (address: string) => Promise<void>;
  /** Where a browser comes back to; absent: any port that is free. */
  readonly port?: () => number;
}

interface Found extends AuthorityPlaces {
  readonly scope: string | undefined;
}

/**
 * Has the authority of a server grant a token for that server alone (OAuth 2.1: code with PKCE, RFC 8707, 9207, 9728), and
 * keeps it. Rejects with LoginRefused.
 */
export async function logIn(options: LoginOptions, signal: AbortSignal): Promise<void> {
  const { url, shelf, fetch, now, tell, port } = options;
  const found = await authorityOf(options, signal);
  const redirect = await openRedirect(port);
  try {
    const client = await registered(found, redirect.address, { fetch, signal });
    const [state, verifier] = [secret(), secret()];
    const resource = resourceOf(url);
    const query = {
      response_type: "code",
      client_id: client.clientId,
      redirect_uri: redirect.address,
      state,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      resource,
      ...(found.scope !== undefined && { scope: found.scope }),
    };
    const answered = redirect.answer(state, signal);
    answered.catch(() => undefined);
    await tell(withQuery(found.authorizationUrl, query));
    const code = codeIn(await answered, found.issuer);
    const form = { grant_type: "authorization_code", code, code_verifier: verifier, redirect_uri: redirect.address };
    const whole = { ...client, tokenUrl: found.tokenUrl, resource };
    await shelf.keep(await requestGrant(whole, form, { fetch, now, signal }));
  } catch (error) {
    throw error instanceof LoginRefused || signal.aborted ? error : new LoginRefused(reasonOf(error), { cause: error });
  } finally {
    await redirect.close();
  }
}

const secret = (): string => randomBytes(32).toString("base64url");

function resourceOf(url: string): string {
  const resource = new URL(url);
  resource.hash = "";
  return resource.href;
}

/** Asks the server who grants access to it, and that authority where. */
async function authorityOf({ url, fetch }: LoginOptions, signal: AbortSignal): Promise<Found> {
  const asking: Fetch = (input, init) => fetch(input, { ...init, signal: init?.signal ?? signal });
  const { resourceMetadataUrl, scope } = await challengeOf(url, asking);
  if (resourceMetadataUrl !== undefined && !isFor(url, resourceMetadataUrl.href))
    throw new LoginRefused("it leads to another server for what it is");
  const info = await discovered(url, asking, resourceMetadataUrl);
  const { authorizationServerUrl, authorizationServerMetadata, resourceMetadata } = info;
  if (resourceMetadata !== undefined && !isResourceOf(resourceMetadata.resource, url))
    throw new LoginRefused(
      `it asks for a token that is for another server, ${resourceMetadata.resource.slice(0, 200)}`,
    );
  if (!isObject(authorizationServerMetadata))
    throw new LoginRefused("it names no authority that says where one logs in");
  const judged = judgeAuthority(authorizationServerMetadata, { issuer: authorizationServerUrl, server: url });
  if (judged.type === "refused") throw new LoginRefused(judged.why);
  return { ...judged.places, scope: scope ?? resourceMetadata?.scopes_supported?.join(" ") };
}

type Challenge = Pick<ReturnType<typeof extractWWWAuthenticateParams>, "resourceMetadataUrl" | "scope">;

/** What it says to whoever comes without a token. */
async function challengeOf(url: string, fetch: Fetch): Promise<Challenge> {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  try {
    const response = await fetch(url, { method: "POST", headers, body });
    await response.body?.cancel();
    return response.status === 401 ? extractWWWAuthenticateParams(response) : {};
  } catch (error) {
    throw new LoginRefused(reasonOf(error), { cause: error });
  }
}

async function discovered(
  url: string,
  fetchFn: Fetch,
  resourceMetadataUrl: URL | undefined,
): ReturnType<typeof discoverOAuthServerInfo> {
  try {
    return await discoverOAuthServerInfo(url, {
      fetchFn,
      ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
    });
  } catch (error) {
    throw new LoginRefused(reasonOf(error), { cause: error });
  }
}

interface Registered {
  readonly clientId: string;
  readonly clientSecret?: string;
}

/** Makes this program known there (RFC 7591). */
async function registered(
  { registrationUrl }: Found,
  redirect: string,
  asking: Parameters<typeof postTo>[2],
): Promise<Registered> {
  if (registrationUrl === undefined)
    throw new LoginRefused("its authority knows no way for a program to make itself known");
  const answer = await postTo(
    registrationUrl,
    {
      client_name: "Evander",
      redirect_uris: [redirect],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    asking,
  );
  const { client_id: clientId, client_secret: clientSecret } = answer;
  if (typeof clientId !== "string" || clientId === "")
    throw new LoginRefused("its authority gives this program no name");
  return { clientId, ...(typeof clientSecret === "string" && { clientSecret }) };
}

function withQuery(address: string, query: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** An answer of another authority is none (RFC 9207). */
function codeIn(answer: URLSearchParams, issuer: string): string {
  const from = answer.get("iss");
  if (from !== null && from.replace(/\/$/u, "") !== issuer.replace(/\/$/u, ""))
    throw new LoginRefused("the answer came from another authority");
  const error = answer.get("error");
  if (error !== null)
    throw new LoginRefused(`its authority refused (${/^[\w-]{1,60}$/u.test(error) ? error : "error"})`);
  const code = answer.get("code");
  if (code === null || code === "") throw new LoginRefused("its authority came back without a code");
  return code;
}
