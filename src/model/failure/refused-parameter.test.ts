import { expect, test } from "vitest";
import { refusedParameter } from "./refused-parameter.ts";

test.each([
  [
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "max_tokens",
  ],
  ["Unrecognized request argument supplied: reasoning_effort", "reasoning_effort"],
  ["stream_options: Extra inputs are not permitted", "stream_options"],
  ["thinking: Extra inputs are not permitted", "thinking"],
  ["Unsupported value: 'temperature' does not support 0.2 with this model.", "temperature"],
  ["Unsupported parameter: 'reasoning.effort' is not supported with this model.", "reasoning"],
  ["Unknown parameter: 'prompt_cache_key'.", "prompt_cache_key"],
  [
    `Invalid JSON payload received. Unknown name "thinkingConfig" at 'generation_config': Cannot find field.`,
    "thinkingConfig",
  ],
  ["Malformed input request: extraneous key [cachePoint] is not permitted, please reformat your input", "cachePoint"],
  ["create() got an unexpected keyword argument 'max_completion_tokens'", "max_completion_tokens"],
  ["output_config.effort: This model does not support the effort parameter.", undefined],
  ["max_tokens: 99999 > 64000, which is the maximum allowed number of output tokens", undefined],
  ["messages.1: unexpected role", undefined],
  ["The model does not exist", undefined],
])("[D3] %s: %s", (words, parameter) => {
  expect(refusedParameter(words.toLowerCase())).toBe(parameter);
});
