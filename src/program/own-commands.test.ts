import { expect, test } from "vitest";
import { ownCommands } from "./own-commands.ts";
import type { Tool } from "../protocol/tool.ts";

const SECRET = "plainOpaqueValue-77-not-a-prefix";

const printing = (text: string): Tool => ({
  name: "terminal",
  description: "Runs.",
  parameters: { type: "object" },
  effect: "effect",
  concurrency: "exclusive",
  run: (_input, { output }) => {
    output(`${text.slice(0, 9)}`);
    output(text.slice(9));
    return `Exit code 0 after 0.1 s.\n${text}`;
  },
});

test("[security 3.13] what a person's own command prints holds no secret, neither on the screen nor for the model", async () => {
  const told = { secrets: [SECRET], secretsLater: async () => [] };
  const run = ownCommands([printing(`a ${SECRET} b ghp_0123456789abcdefghij c\n`)], told);
  let shown = "";
  const { text } = await run("env", {
    signal: new AbortController().signal,
    output: (piece) => {
      shown += piece;
    },
  });
  for (const seen of [shown, text]) {
    expect(seen).toMatch(/a ‹redacted:[^›]+› b ‹redacted:[^›]+› c/u);
    expect(seen).not.toContain(SECRET);
  }
});
