import type { Failure } from "../../protocol/failure.ts";
import type { Stall } from "../watchdog.ts";
import { isLarge, LARGE, MOST_CAUSES, NOTHING_SENT, type Sent, thinksLong } from "./facts.ts";
import { verdict, type Verdict } from "./verdict.ts";

interface NetworkRule {
  readonly kind: Kind;
  readonly say: (where: string) => string;
}

/**
 * - `passing`: a network that may recover.
 * - `closed`: the same, or a server that hangs up on what is too long for it (hermes.md §10.3 step 11).
 * - `unsent`: there is no connection that the request could have gone through.
 * - `lasting`: a certificate or a protocol that is wrong stays wrong.
 * - `local`: this machine cannot or may not; neither another key nor another model helps.
 */
type Kind = "passing" | "closed" | "unsent" | "lasting" | "local";

const noTls = (where: string): string => `${where} does not speak TLS; use http:// instead of https://.`;
const unverified = (where: string): string => `The certificate of ${where} cannot be verified.`;
const selfSigned = (where: string): string => `The certificate of ${where} is self-signed and not trusted.`;
const noWay = (where: string): string => `There is no way to ${where} on this network.`;
const tooManyFiles = (where: string): string =>
  `This machine has too many files open to connect to ${where}; close some programs, or raise the limit (ulimit -n).`;
const noMemory = (where: string): string => `This machine has no memory left to connect to ${where}.`;
const forbidden = (where: string): string =>
  `This machine does not let this program connect to ${where}; see its firewall or sandbox.`;

const closed = (where: string): string => `${where} closed the connection before the reply was complete.`;

/** Codes of Node.js and the operating system. */
const RULES: Readonly<Record<string, NetworkRule>> = {
  ECONNREFUSED: {
    kind: "unsent",
    say: (where) => `Nothing answers at ${where} (connection refused); is the server running?`,
  },
  ECONNRESET: { kind: "closed", say: closed },
  EPIPE: { kind: "closed", say: (where) => `${where} closed the connection while the request was being sent.` },
  ENOTFOUND: {
    kind: "unsent",
    say: (where) => `The name of ${where} is not known; check the address and the network.`,
  },
  EAI_AGAIN: { kind: "unsent", say: (where) => `The name of ${where} cannot be looked up at the moment.` },
  ETIMEDOUT: { kind: "passing", say: (where) => `${where} did not answer the connection in time.` },
  EHOSTUNREACH: { kind: "unsent", say: noWay },
  ENETUNREACH: { kind: "unsent", say: noWay },
  EPROTO: { kind: "lasting", say: noTls },
  ERR_SSL_WRONG_VERSION_NUMBER: { kind: "lasting", say: noTls },
  ERR_SSL_PACKET_LENGTH_TOO_LONG: { kind: "lasting", say: noTls },
  CERT_HAS_EXPIRED: { kind: "lasting", say: (where) => `The certificate of ${where} has expired.` },
  DEPTH_ZERO_SELF_SIGNED_CERT: { kind: "lasting", say: selfSigned },
  SELF_SIGNED_CERT_IN_CHAIN: { kind: "lasting", say: selfSigned },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { kind: "lasting", say: unverified },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { kind: "lasting", say: unverified },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    kind: "lasting",
    say: (where) => `The certificate of ${where} belongs to another host.`,
  },
  EMFILE: { kind: "local", say: tooManyFiles },
  ENFILE: { kind: "local", say: tooManyFiles },
  ENOMEM: { kind: "local", say: noMemory },
  ENOBUFS: { kind: "local", say: noMemory },
  EADDRNOTAVAIL: { kind: "local", say: (where) => `This machine has no address left to connect to ${where} from.` },
  EACCES: { kind: "local", say: forbidden },
  EPERM: { kind: "local", say: forbidden },
};

/** What had happened when the connection was lost. */
export interface Losing {
  /** The server has answered, so it does speak HTTP, and what is wrong may be right the next time. */
  readonly begun: boolean;
  readonly sent?: Sent | undefined;
}

export function failureOfNetwork(error: Error, where: string, losing: Losing): Failure {
  const code = codeOf(error);
  if (code.startsWith("HPE_")) {
    return losing.begun
      ? {
          ...verdict("timeout", "broken-http"),
          message: `What ${where} sent in the middle of its reply is not HTTP (${code}).`,
        }
      : {
          ...verdict("unknown", "no-http", "F"),
          message: `${where} does not speak HTTP (${code}); check the base URL.`,
        };
  }
  const alert = code === "EPROTO" ? TLS_ALERT.exec(error.message)?.[1] : undefined;
  if (alert !== undefined)
    return { ...verdict("timeout", "tls"), message: `${where} broke off the secure connection (TLS alert ${alert}).` };
  const known = RULES[code];
  const say = known?.say ?? (() => `The connection to ${where} failed${code === "" ? "" : ` (${code})`}.`);
  return { ...verdictOn(known?.kind ?? "closed", losing), message: say(where) };
}

/** A server that sends one speaks TLS (hermes.md §10.3 step 10); OpenSSL names it at the end of its words. */
const TLS_ALERT = /\bSSL alert number (\d+)/;

/** Errors of several addresses, and of what stands between, wrap that which tells. */
function codeOf(error: Error): string {
  let each: unknown = error;
  for (let depth = 0; depth < MOST_CAUSES && each instanceof Error; depth += 1, each = each.cause)
    if ("code" in each && typeof each.code === "string") return each.code;
  return "";
}

function verdictOn(kind: Kind, { begun, sent = NOTHING_SENT }: Losing): Verdict & Pick<Failure, "unsent"> {
  switch (kind) {
    case "passing":
      return verdict("timeout", "network");
    case "closed":
      return begun || !isLarge(sent, LARGE) || thinksLong(sent.model)
        ? verdict("timeout", "disconnected")
        : verdict("context_overflow", "disconnected-large");
    case "unsent":
      return { ...verdict("timeout", "unreachable"), unsent: true };
    case "lasting":
      return { ...verdict("unknown", "no-secure-connection", "F"), unsent: true };
    case "local":
      return { ...verdict("unknown", "local-machine", "R"), unsent: true };
  }
}

export function failureOfStall(stall: Stall, ms: number, where: string): Failure {
  const time = ms >= 1_000 ? `${Math.round(ms / 1_000)} s` : `${ms} ms`;
  switch (stall) {
    case "first-byte":
      return { ...verdict("timeout", "silent"), message: `${where} sent nothing for ${time} after the request.` };
    case "idle":
      return {
        ...verdict("timeout", "silent-in-reply"),
        message: `${where} sent no content for ${time} in the middle of its reply.`,
      };
    case "call":
      return { ...verdict("timeout", "too-slow"), message: `The reply of ${where} was not complete after ${time}.` };
  }
}
