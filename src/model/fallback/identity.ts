import type { ModelName } from "../../protocol/ports.ts";

/**
 * A system prompt for another model than the one it was written for: where it says who is asked, in lines of their own,
 * the last of each kind says who is asked now (row D10). Nothing else of it changes.
 */
export const withIdentity = (prompt: string, { provider, model }: ModelName): string =>
  withLast(withLast(prompt, "Model", model), "Provider", provider);

function withLast(prompt: string, kind: string, name: string): string {
  const last = [...prompt.matchAll(new RegExp(`^${kind}: .*$`, "gmu"))].at(-1);
  if (last === undefined) return prompt;
  return `${prompt.slice(0, last.index)}${kind}: ${name}${prompt.slice(last.index + last[0].length)}`;
}
