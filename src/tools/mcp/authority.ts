import { innerAddress } from "../../protocol/inner-address.ts";
import type { JsonObject } from "../../protocol/json.ts";

/** Where a server's authority is asked, once what it says of itself was judged. */
export interface AuthorityPlaces {
  readonly issuer: string;
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  readonly registrationUrl?: string;
}

export type JudgedAuthority =
  | { readonly type: "places"; readonly places: AuthorityPlaces }
  /** A clause. */
  | { readonly type: "refused"; readonly why: string };

interface About {
  /** The authority that was asked for it. */
  readonly issuer: string;
  /** The address of the server of tools. */
  readonly server: string;
}

const refused = (why: string): JudgedAuthority => ({ type: "refused", why });

/**
 * Judges what an authority says of itself (RFC 8414): it comes from outside, and decides where a browser is sent and where
 * secrets go.
 */
export function judgeAuthority(metadata: JsonObject, { issuer, server }: About): JudgedAuthority {
  if (!isSameIssuer(metadata["issuer"], issuer))
    return refused(`its authority ${issuer} gives what another one says of itself`);
  const { code_challenge_methods_supported: methods, registration_endpoint: registration } = metadata;
  if (!Array.isArray(methods) || !methods.includes("S256"))
    return refused("its authority does not say that it takes PKCE with S256");
  const [authorizationUrl, tokenUrl] = ["authorization_endpoint", "token_endpoint"].map((name) => metadata[name]);
  const all = [authorizationUrl, tokenUrl, ...(registration === undefined ? [] : [registration])];
  const bad = all.find((address) => !isPlace(address, server));
  if (all.includes(undefined) || bad !== undefined)
    return refused("its authority names an address that is none of a server on the open network, over https");
  const places = { issuer, authorizationUrl: String(authorizationUrl), tokenUrl: String(tokenUrl) };
  return {
    type: "places",
    places: { ...places, ...(typeof registration === "string" && { registrationUrl: registration }) },
  };
}

const isSameIssuer = (said: unknown, issuer: string): boolean =>
  typeof said === "string" && said.replace(/\/$/u, "") === issuer.replace(/\/$/u, "");

/** Over https, to no inner address; what is on this machine or its network only where the very server is. */
function isPlace(address: unknown, server: string): boolean {
  if (typeof address !== "string" || !/^https?:\/\//iu.test(address)) return false;
  const [url, own] = [URL.parse(address), URL.parse(server)];
  if (url === null || own === null || url.username !== "" || url.password !== "" || url.hash !== "") return false;
  if (url.origin === own.origin) return true;
  return url.protocol === "https:" && innerAddress(url.hostname) === undefined;
}

/** Whether what a server says it is (RFC 9728) is the server that was asked: it gets no token for another one. */
export function isResourceOf(resource: string, server: string): boolean {
  const [url, own] = [URL.parse(resource), URL.parse(server)];
  if (url === null || own === null || url.origin !== own.origin) return false;
  const path = url.pathname.replace(/\/$/u, "");
  return own.pathname === path || own.pathname.startsWith(`${path}/`);
}
