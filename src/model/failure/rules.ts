import type { FailureReason } from "../../protocol/failure.ts";
import { type FailureFacts, LARGE, type Large, RATHER_LARGE, thinksLong } from "./facts.ts";
import type { Words } from "./find-words.ts";
import { verdict, type Verdict } from "./verdict.ts";
import * as access from "./words/access.ts";
import { LIMIT_CODES, VALIDATION_CODES } from "./words/codes.ts";
import * as history from "./words/history.ts";
import * as load from "./words/load.ts";
import * as local from "./words/local.ts";
import * as money from "./words/money.ts";
import * as network from "./words/network.ts";
import * as policy from "./words/policy.ts";
import * as request from "./words/request.ts";
import * as size from "./words/size.ts";

/** What has to be so for a rule to fire: all of it. */
export interface Condition {
  /** Statuses, or no status. Undefined: any and none. */
  readonly status?: readonly number[] | "none" | "4xx" | "5xx";
  /** Of each group one stands in the text. */
  readonly says?: readonly Words[];
  /** One of them is a code of the body. */
  readonly code?: readonly string[];
  /** The request is as large. */
  readonly large?: Large;
  /** Whatever else has to be so. */
  readonly and?: (facts: FailureFacts) => boolean;
}

export interface Rule extends Condition {
  readonly gives: Verdict;
}

interface Conclusion extends Condition {
  /** What `hermes.md §10.2` says of the reason, where these are absent. */
  readonly hints?: string;
}

function rule(name: string, reason: FailureReason, { hints, ...condition }: Conclusion): Rule {
  return { ...condition, gives: verdict(reason, name, hints) };
}

/** The sentence in the body is too short to say what is wrong. */
const isGeneric = ({ said }: FailureFacts): boolean => said.trim().length < 30;

const wasThrown =
  (names: ReadonlySet<string>) =>
  ({ thrown }: FailureFacts): boolean =>
    thrown.some((name) => names.has(name));

const isProgramError = (facts: FailureFacts): boolean =>
  wasThrown(local.PROGRAM_ERRORS)(facts) &&
  !wasThrown(local.DECODING_ERRORS)(facts) &&
  !wasThrown(network.TRANSPORT_ERRORS)(facts) &&
  !local.EMPTY_REPLY.some((words) => facts.text.includes(words));

/** The rule for a conversation that may be taken in the strictest form. */
export const REFUSED_FORM = "refused-form";

/** What only one thing can mean, whatever the status and the codes are (hermes.md §10.3 steps 1–6). */
const UNMISTAKABLE: readonly Rule[] = [
  rule("content-policy", "content_policy_blocked", { says: [policy.CONTENT_POLICY] }),
  rule("thinking-signature", "thinking_signature", {
    status: [400],
    says: [request.THINKING, request.CHANGED_THINKING],
  }),
  rule("thinking-expected", "thinking_signature", { status: [400], says: history.THINKING_EXPECTED }),
  rule("thought-signature", "thinking_signature", { status: [400], says: history.THOUGHT_SIGNATURE }),
  rule("item-not-found", "invalid_encrypted_content", { says: history.ITEM_NOT_FOUND }),
  rule("item-alone", "invalid_encrypted_content", { says: history.ITEM_ALONE }),
  rule("long-context-tier", "long_context_tier", { status: [429], says: [request.EXTRA_USAGE, request.LONG_CONTEXT] }),
  rule("long-context-beta", "oauth_long_context_beta_forbidden", {
    status: [400],
    says: [request.LONG_CONTEXT_BETA, request.NOT_YET_AVAILABLE],
  }),
  rule("grammar", "llama_cpp_grammar_pattern", { status: [400], says: [request.GRAMMAR] }),
  rule("grammar-parser", "llama_cpp_grammar_pattern", { status: [400], says: [request.NO_PARSER, request.TEMPLATE] }),
  // Waiting changes nothing, whatever the status says of it [HIST-15].
  ...history.REFUSED_FORMS.flatMap((says) => [
    rule(REFUSED_FORM, "format_error", { status: [400, 422, 500], says }),
    rule(REFUSED_FORM, "format_error", { status: "none", says }),
  ]),
  rule("no-grok-subscription", "auth", { says: [access.NO_SUBSCRIPTION], hints: "F" }),
  rule("no-grok-resources", "auth", { says: [access.NO_RESOURCES, access.GROK], hints: "F" }),
  // Local faults are nobody's but ours: asking elsewhere does not help.
  rule("local-program", "unknown", { status: "none", and: isProgramError, hints: "" }),
  rule("local-machine", "unknown", { status: "none", and: wasThrown(local.MACHINE_CODES), hints: "" }),
  rule("local-machine-text", "unknown", { status: "none", says: [local.MACHINE], hints: "" }),
];

/** Statuses that say by themselves which limit it is. */
const LIMIT_STATUSES: ReadonlySet<number> = new Set([413, 429]);

const hasLimitCode = ({ codes }: FailureFacts): boolean => codes.some((code) => LIMIT_CODES.has(code));

/** Structured codes outrank the status that carries them [ERR-03]; behind them, where a status is. */
const CODED: readonly Rule[] = [
  rule("code-limit", "rate_limit", { status: "none", and: hasLimitCode, hints: "RK" }),
  rule("code-limit-status", "rate_limit", {
    and: (facts) => facts.status !== undefined && !LIMIT_STATUSES.has(facts.status) && hasLimitCode(facts),
  }),
];

const S400: readonly Rule[] = [
  rule("400-tool-content", "multimodal_tool_content_unsupported", { status: [400], says: [request.TOOL_CONTENT] }),
  rule("400-image-size", "image_too_large", { status: [400], says: [size.IMAGE_SIZE] }),
  rule("400-encrypted", "invalid_encrypted_content", { status: [400], says: [request.ENCRYPTED] }),
  rule("400-encrypted-item", "invalid_encrypted_content", {
    status: [400],
    says: [request.ENCRYPTED_ITEM, request.NOT_VERIFIED],
  }),
  rule("400-validation", "format_error", { status: [400], says: [request.VALIDATION] }),
  rule("400-validation-code", "format_error", { status: [400], code: VALIDATION_CODES }),
  rule("400-payload", "payload_too_large", { status: [400], says: [size.PAYLOAD] }),
  rule("400-overflow", "context_overflow", { status: [400], says: [size.OVERFLOW] }),
  rule("400-provider-policy", "provider_policy_blocked", { status: [400], says: [policy.PROVIDER_POLICY] }),
  rule("400-model", "model_not_found", { status: [400], says: [request.MODEL_NOT_FOUND] }),
  rule("400-rate-limit", "rate_limit", { status: [400], says: [load.RATE_LIMIT] }),
  rule("400-billing", "billing", { status: [400], says: [money.BILLING] }),
  // xAI and Google refuse a key so.
  rule("400-key", "auth", { status: [400], says: [access.KEY_REFUSED] }),
  rule("400-large-unexplained", "context_overflow", { status: [400], large: RATHER_LARGE, and: isGeneric }),
];

/** Quota is reported with statuses of keys: the body is read first [ERR-05]. */
const S401_TO_404: readonly Rule[] = [
  rule("401-usage-limit-resets", "rate_limit", { status: [401], says: [money.SURE_USAGE_LIMIT, money.TRANSIENT] }),
  rule("401-usage-limit", "billing", { status: [401], says: [money.SURE_USAGE_LIMIT] }),
  rule("401-billing", "billing", { status: [401], says: [money.BILLING] }),
  rule("401", "auth", { status: [401] }),
  rule("402-usage-limit-resets", "rate_limit", { status: [402], says: [money.USAGE_LIMIT, money.TRANSIENT] }),
  rule("402", "billing", { status: [402] }),
  rule("403-spent-key", "billing", { status: [403], says: [money.SPENT_KEY] }),
  rule("403-billing", "billing", { status: [403], says: [money.BILLING] }),
  rule("403-usage-limit-resets", "rate_limit", { status: [403], says: [money.SURE_USAGE_LIMIT, money.TRANSIENT] }),
  rule("403-usage-limit", "billing", { status: [403], says: [money.SURE_USAGE_LIMIT] }),
  rule("403-rate-limit", "rate_limit", { status: [403], says: [load.SURE_RATE_LIMIT] }),
  rule("403", "auth", { status: [403], hints: "F" }),
  rule("404-billing", "billing", { status: [404], says: [money.BILLING] }),
  rule("404-provider-policy", "provider_policy_blocked", { status: [404], says: [policy.PROVIDER_POLICY] }),
  rule("404-model", "model_not_found", { status: [404], says: [request.MODEL_NOT_FOUND] }),
  rule("404-model-named", "model_not_found", {
    status: [404],
    code: ["not_found_error"],
    says: [request.MODEL_NAMED],
  }),
  rule("404", "unknown", { status: [404] }),
];

const OTHER_STATUSES: readonly Rule[] = [
  rule("413", "payload_too_large", { status: [413] }),
  rule("429-overloaded", "overloaded", { status: [429], says: [load.OVERLOADED] }),
  rule("429-one-request", "payload_too_large", { status: [429], says: [load.LARGER_THAN_THE_RATE] }),
  rule("429", "rate_limit", { status: [429] }),
  // What passes by itself, and is no matter of the request (nanobot.md §19.2).
  rule("408", "timeout", { status: [408] }),
  rule("409-or-425", "server_error", { status: [409, 425] }),
  rule("422-validation", "format_error", { status: [422], says: [request.VALIDATION] }),
  rule("422-validation-code", "format_error", { status: [422], code: VALIDATION_CODES }),
  rule("422-overflow", "context_overflow", { status: [422], says: [size.SURE_OVERFLOW] }),
  rule("422-model", "model_not_found", { status: [422], says: [request.MODEL_NOT_FOUND] }),
  rule("4xx", "format_error", { status: "4xx" }),
  rule("5xx-large-gateway", "context_overflow", {
    status: [500, 502, 503, 504],
    says: [network.GATEWAY],
    large: LARGE,
  }),
  rule("5xx-large-origin", "context_overflow", {
    status: [500, 502, 503, 504],
    says: [network.ORIGIN, network.BAD_GATEWAY],
    large: LARGE,
  }),
  rule("5xx-large-origin-code", "context_overflow", {
    status: [500, 502, 503, 504],
    code: network.GATEWAY,
    large: LARGE,
  }),
  rule("5xx-validation", "format_error", { status: [500, 502], says: [request.VALIDATION] }),
  rule("5xx-invalid-request-text", "format_error", { status: [500, 502], says: [request.INVALID_REQUEST] }),
  rule("5xx-invalid-request", "format_error", {
    status: [500, 502],
    code: [...request.INVALID_REQUEST, ...VALIDATION_CODES],
  }),
  rule("5xx-overflow", "context_overflow", { status: "5xx", says: [size.OVERFLOW] }),
  rule("503-or-529", "overloaded", { status: [503, 529] }),
  rule("5xx", "server_error", { status: "5xx" }),
];

/** Where no status says anything, the text does (hermes.md §10.6), then what is known of the connection (§10.3). */
const STATUSLESS: readonly Rule[] = [
  rule("text-payload", "payload_too_large", { says: [size.PAYLOAD] }),
  rule("text-tool-content", "multimodal_tool_content_unsupported", { says: [request.TOOL_CONTENT] }),
  rule("text-image-size", "image_too_large", { says: [size.IMAGE_SIZE] }),
  rule("text-encrypted", "invalid_encrypted_content", { says: [request.ENCRYPTED_ITEM, request.NOT_VERIFIED] }),
  rule("text-usage-limit-resets", "rate_limit", { says: [money.USAGE_LIMIT, money.TRANSIENT] }),
  rule("text-rate-limit-exceeded", "rate_limit", { says: [money.USAGE_LIMIT, load.SURE_RATE_LIMIT] }),
  rule("text-usage-limit", "billing", { says: [money.USAGE_LIMIT] }),
  rule("text-overloaded", "overloaded", { says: [load.OVERLOADED] }),
  rule("text-billing", "billing", { says: [money.BILLING] }),
  rule("text-rate-limit", "rate_limit", { says: [load.RATE_LIMIT] }),
  rule("text-validation", "format_error", { says: [request.VALIDATION] }),
  rule("text-validation-code", "format_error", { code: VALIDATION_CODES }),
  rule("text-overflow", "context_overflow", { says: [size.OVERFLOW] }),
  rule("text-auth", "auth", { says: [access.AUTH] }),
  rule("text-provider-policy", "provider_policy_blocked", { says: [policy.PROVIDER_POLICY] }),
  rule("text-model", "model_not_found", { says: [request.MODEL_NOT_FOUND] }),
  rule("text-timeout", "timeout", { says: [network.TIMED_OUT] }),
  rule("tls", "timeout", { says: [network.TLS] }),
  rule("disconnected-while-thinking", "timeout", {
    status: "none",
    says: [network.DISCONNECTED],
    and: ({ sent }) => thinksLong(sent.model),
  }),
  rule("disconnected-large", "context_overflow", { status: "none", says: [network.DISCONNECTED], large: LARGE }),
  rule("disconnected", "timeout", { status: "none", says: [network.DISCONNECTED] }),
  rule("transport", "timeout", { and: wasThrown(network.TRANSPORT_ERRORS) }),
];

/** They decide before the codes do, in this order. */
export const BEFORE_CODES: readonly Rule[] = UNMISTAKABLE;

/** They decide where no code did, in this order. */
export const BEHIND_CODES: readonly Rule[] = [...CODED, ...S400, ...S401_TO_404, ...OTHER_STATUSES, ...STATUSLESS];
