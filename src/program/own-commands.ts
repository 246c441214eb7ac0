import type { Runtime } from "../cli/adapters.ts";
import { reasonOf } from "../protocol/reason-of.ts";
import type { Tool } from "../protocol/tool.ts";
import { redaction } from "../tools/redaction.ts";
import type { Equipment } from "./equipment.ts";

/**
 * A command that a person types runs as the tool runs it, and needs nobody's yes. What it prints is told to the model with
 * the next message, so no secret stands in it.
 */
export const ownCommands =
  (
    tools: readonly Tool[],
    { secrets, secretsLater }: Pick<Equipment["told"], "secrets" | "secretsLater">,
  ): Runtime["runCommand"] =>
  async (command, { signal, output }) => {
    const { knownTo } = await import("./owner-secrets.ts");
    const known = knownTo([...secrets, ...(await secretsLater())]);
    const masked = redaction({ known: () => known });
    await masked.ready();
    const terminal = tools.find(({ name }) => name === "terminal");
    const pieces = masked.pieces(output);
    const own = { callId: "own", sessionId: "own", history: [], approved: "typed by a person" } as const;
    try {
      const text = String(await terminal?.run({ command }, { ...own, signal, output: pieces.pass }));
      return { text: masked.clean(text), failed: terminal?.judge?.(text).failed === true };
    } catch (error) {
      return { text: masked.clean(reasonOf(error)), failed: true };
    } finally {
      pieces.end();
    }
  };
