import type { Tool } from "../../src/protocol/tool.ts";

const parameters = { type: "object", properties: { text: { type: "string" } } };

/** Answers with its text; harmless. */
export const echo: Tool = {
  name: "echo",
  description: "Says its text.",
  parameters,
  effect: "pure",
  concurrency: "shared",
  run: ({ text }) => `echo: ${String(text)}`,
};

/** Changes something and asks first; counts how often it ran. */
export function guarded(): Tool & { readonly runs: string[] } {
  const runs: string[] = [];
  return {
    name: "guarded",
    description: "Changes something.",
    parameters,
    effect: "effect",
    concurrency: "exclusive",
    runs,
    ask: () => "it changes something",
    run: ({ text }) => {
      runs.push(String(text));
      return "changed";
    },
  };
}

/** Tells when it began and waits for the signal that stops it. */
export function stuck(onStart: () => void): Tool {
  return {
    name: "stuck",
    description: "Waits.",
    parameters,
    effect: "pure",
    concurrency: "shared",
    run: (_input, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
        onStart();
      }),
  };
}
