/**
 * Words of filters and of accounts that forbid, in lower case. Each is one that only a filter says.
 * Sources: hermes.md §10.7 (content policy, policy block); Zhipu's sentence for unsafe content.
 */

/** This prompt is refused, by every key. */
export const CONTENT_POLICY: readonly string[] = [
  "flagged for possible cybersecurity risk",
  "trusted access for cyber",
  "violates our usage policies",
  "violates openai's usage policies",
  "your request was flagged by",
  "prompt was flagged by our safety",
  "responses cannot be generated due to safety",
  "content_filter",
  "responsibleaipolicyviolation",
  "不安全或敏感内容",
];

/** The account of an aggregator allows nobody who serves the model. */
export const PROVIDER_POLICY: readonly string[] = [
  "no endpoints available matching your guardrail",
  "no endpoints available matching your data policy",
  "no endpoints found matching your data policy",
];
