import type { FailureReason } from "../../src/protocol/failure.ts";
import { refuses } from "../dialects/script.ts";
import {
  blocked,
  compacted,
  type Expected,
  HOPELESS,
  type Family,
  type Fault,
  onlyIn,
  rejected,
  retried,
} from "./fault.ts";
import { answers, html, status } from "./said.ts";

/** Sent again without what was refused, and then as it is. */
const repaired = (reason: FailureReason, repair: string): Expected => ({
  ...retried(reason),
  does: [repair, "wait", "wait"],
  backed: [repair, "wait", "wait", "switch"],
});

const ROOM =
  "This model's maximum context length is 8192 tokens. However, you requested 9000 output tokens; available_tokens: 512";

/** Where the server moved, and that it did, is known; following would hand the key to whoever is there. */
const moved = (code: number): Fault => ({
  name: `${code} to another address`,
  expected: rejected("format_error", 76, /redirects/),
  act: ({ key }) => answers(code, "text/html", "", { headers: { location: `https://else.test/${key}/v1` } }),
});

export const REQUESTS: Family = {
  name: "4xx: the request",
  rows: ["D2", "D3", "D14"],
  faults: [
    { name: "400 malformed request", expected: HOPELESS, act: () => refuses("bad_request") },
    {
      name: "400 unknown parameter",
      expected: HOPELESS,
      act: status(400, "Unknown parameter: 'frequency_penalty'."),
    },
    {
      name: "400 schema of a tool",
      expected: { ...HOPELESS, does: ["without the tool"], backed: ["without the tool", "switch"], passes: true },
      remembered: true,
      act: status(400, "Invalid schema for function 'look'."),
    },
    { name: "400 context too long", expected: compacted("context_overflow"), act: () => refuses("context_too_long") },
    {
      name: "400 output limit too large",
      expected: {
        ...compacted("context_overflow"),
        does: ["less output", "compact", "compact"],
        backed: ["less output", "cannot compact"],
      },
      act: status(400, ROOM),
    },
    {
      name: "400 an error inside the words of an error",
      expected: compacted("context_overflow"),
      act: (victim) =>
        status(400, JSON.stringify({ error: { code: "context_length_exceeded", message: "Too long." } }))(victim),
    },
    {
      name: "400 image too large",
      expected: retried("image_too_large"),
      act: status(400, "messages.0.content.1: image exceeds 5 MB maximum"),
    },
    {
      name: "400 no pictures taken",
      expected: HOPELESS,
      act: status(400, "This model does not support images."),
    },
    {
      name: "400 signature of a thought",
      expected: { ...retried("thinking_signature"), does: ["without opaque"], backed: ["switch"] },
      remembered: true,
      act: status(400, "messages.1.content.0: Invalid `signature` in `thinking` block"),
    },
    {
      name: "400 encrypted thought",
      expected: { ...retried("invalid_encrypted_content"), does: ["without opaque"], backed: ["switch"] },
      remembered: true,
      act: status(400, "The encrypted content for item rs_1 could not be verified.", {
        code: "invalid_encrypted_content",
      }),
      impossible: onlyIn(["codex_responses"], "it has no encrypted items"),
    },
    {
      name: "400 grammar of a tool",
      expected: repaired("llama_cpp_grammar_pattern", "without schemaWords"),
      remembered: true,
      act: status(400, "error parsing grammar: json-schema-to-grammar failed"),
      impossible: onlyIn(["chat_completions"], "only llama.cpp says it, in chat completions"),
    },
    {
      name: "400 content of a tool message",
      expected: retried("multimodal_tool_content_unsupported"),
      act: status(400, "tool message content must be a string"),
    },
    {
      name: "400 long-context beta",
      expected: repaired("oauth_long_context_beta_forbidden", "without betas"),
      remembered: true,
      act: status(400, "The long context beta is not yet available for this subscription."),
      impossible: onlyIn(["anthropic_messages"], "only Anthropic has the beta"),
    },
    {
      name: "400 streaming refused",
      expected: { ...HOPELESS, does: ["without streaming"], backed: ["without streaming", "switch"], passes: true },
      remembered: true,
      act: status(400, "Streaming is not supported for this model."),
      impossible: ({ way }) => (way === "stream" ? undefined : "that is how a server comes to be asked for one piece"),
    },
    {
      name: "400 content policy",
      expected: blocked(),
      act: status(400, "Your request was flagged by our safety system (content_filter)."),
    },
    { name: "404 no such model", expected: rejected("model_not_found", 78, /model/), act: () => refuses("not_found") },
    {
      name: "404 no such path",
      expected: retried("unknown", "wait", /base URL/),
      act: () => answers(404, "text/plain", "404 page not found"),
    },
    {
      name: "404 policy of the account",
      expected: { ...rejected("provider_policy_blocked", 75, /policy/), backed: [] },
      act: status(404, "No endpoints found matching your data policy."),
      impossible: onlyIn(
        ["chat_completions", "codex_responses", "anthropic_messages"],
        "only an aggregator says it, and none speaks this",
      ),
    },
    {
      name: "405 method not allowed",
      expected: rejected("format_error", 76, /base URL/),
      act: () => answers(405, "text/plain", "Method Not Allowed"),
    },
    {
      name: "408 request timeout",
      expected: retried("timeout"),
      act: status(408, "The request took too long to arrive."),
    },
    { name: "409 conflict", expected: retried("server_error"), act: status(409, "The resource is being changed.") },
    {
      name: "413 too large",
      expected: compacted("payload_too_large"),
      act: status(413, "Request exceeds the maximum size"),
    },
    {
      name: "413 of a proxy",
      expected: compacted("payload_too_large"),
      act: html(413, "413 Request Entity Too Large"),
    },
    { name: "415 media type", expected: HOPELESS, act: status(415, "Unsupported media type.") },
    { name: "418 a status that nobody uses", expected: HOPELESS, act: status(418, "I'm a teapot") },
    { name: "422 unprocessable", expected: HOPELESS, act: status(422, "temperature: Input should be less than 2") },
    moved(301),
    moved(302),
    moved(307),
    moved(308),
  ],
};
