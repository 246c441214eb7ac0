import { withoutSlash } from "../../protocol/base-url.ts";
import type { ModelChoice } from "../../protocol/provider.ts";

/**
 * The models of a fallback chain in order, each once: names that are blank are left out, and of two that lead to the
 * same model at the same address the first stays (row D9, hermes.md §12.1).
 */
export function mergeChain<T extends ModelChoice>(choices: readonly T[]): T[] {
  const known = new Set<string>();
  return choices.map(tidy).filter((choice) => {
    const { provider, model, baseUrl = "" } = choice;
    if (model === "" || provider === "") return false;
    const id = [provider ?? "", model, baseUrl].join("\n").toLowerCase();
    return known.size < known.add(id).size;
  });
}

function tidy<T extends ModelChoice>(choice: T): T {
  const { provider, model, baseUrl } = choice;
  return {
    ...choice,
    model: model.trim(),
    ...(provider !== undefined && { provider: provider.trim() }),
    ...(baseUrl !== undefined && { baseUrl: withoutSlash(baseUrl.trim()) }),
  };
}
