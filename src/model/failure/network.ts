import type { Failure } from "../../protocol/failure.ts";
import type { Stall } from "../watchdog.ts";
import { verdict, type Verdict } from "./rules.ts";

interface NetworkRule {
  readonly verdict: Verdict & Pick<Failure, "unsent">;
  readonly say: (where: string) => string;
}

/** A network that may recover is a timeout; a certificate or a protocol that is wrong stays wrong (hermes.md §10.3). */
const transient = (say: NetworkRule["say"]): NetworkRule => ({ verdict: verdict("timeout"), say });
const lasting = (say: NetworkRule["say"]): NetworkRule => ({
  verdict: { ...verdict("unknown", "F"), unsent: true },
  say,
});
/** There is no connection that the request could have gone through. */
const unsent = (say: NetworkRule["say"]): NetworkRule => ({ verdict: { ...verdict("timeout"), unsent: true }, say });

const RULES: Readonly<Record<string, NetworkRule>> = {
  ECONNREFUSED: unsent((where) => `Nothing answers at ${where} (connection refused); is the server running?`),
  ECONNRESET: transient((where) => `${where} closed the connection before the reply was complete.`),
  EPIPE: transient((where) => `${where} closed the connection while the request was being sent.`),
  ENOTFOUND: unsent((where) => `The name of ${where} is not known; check the address and the network.`),
  EAI_AGAIN: unsent((where) => `The name of ${where} cannot be looked up at the moment.`),
  ETIMEDOUT: transient((where) => `${where} did not answer the connection in time.`),
  EHOSTUNREACH: unsent((where) => `There is no way to ${where} on this network.`),
  ENETUNREACH: unsent((where) => `There is no way to ${where} on this network.`),
  EPROTO: lasting((where) => `${where} does not speak TLS; use http:// instead of https://.`),
  ERR_SSL_WRONG_VERSION_NUMBER: lasting((where) => `${where} does not speak TLS; use http:// instead of https://.`),
  ERR_SSL_PACKET_LENGTH_TOO_LONG: lasting((where) => `${where} does not speak TLS; use http:// instead of https://.`),
  CERT_HAS_EXPIRED: lasting((where) => `The certificate of ${where} has expired.`),
  DEPTH_ZERO_SELF_SIGNED_CERT: lasting((where) => `The certificate of ${where} is self-signed and not trusted.`),
  SELF_SIGNED_CERT_IN_CHAIN: lasting((where) => `The certificate of ${where} is self-signed and not trusted.`),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: lasting((where) => `The certificate of ${where} cannot be verified.`),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: lasting((where) => `The certificate of ${where} cannot be verified.`),
  ERR_TLS_CERT_ALTNAME_INVALID: lasting((where) => `The certificate of ${where} belongs to another host.`),
};

/** `begun`: the server has answered, so it does speak HTTP, and what is wrong may be right the next time. */
export function failureOfNetwork(error: Error, where: string, begun: boolean): Failure {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code.startsWith("HPE_")) {
    return begun
      ? { ...verdict("timeout"), message: `What ${where} sent in the middle of its reply is not HTTP (${code}).` }
      : { ...verdict("unknown", "F"), message: `${where} does not speak HTTP (${code}); check the base URL.` };
  }
  const rule = RULES[code] ?? transient(() => `The connection to ${where} failed${code === "" ? "" : ` (${code})`}.`);
  return { ...rule.verdict, message: rule.say(where) };
}

export function failureOfStall(stall: Stall, ms: number, where: string): Failure {
  const time = ms >= 1_000 ? `${Math.round(ms / 1_000)} s` : `${ms} ms`;
  switch (stall) {
    case "first-byte":
      return { ...verdict("timeout"), message: `${where} sent nothing for ${time} after the request.` };
    case "idle":
      return { ...verdict("timeout"), message: `${where} sent no content for ${time} in the middle of its reply.` };
    case "call":
      return { ...verdict("timeout"), message: `The reply of ${where} was not complete after ${time}.` };
  }
}
