import type { Edit, Span } from "../text/lines.ts";
import { indentOf, reindented } from "./reindent.ts";
import { STRATEGIES, type StrategyName } from "./strategies.ts";

export interface Replacement {
  readonly old: string;
  readonly now: string;
  /** Every place; else there may be but one. */
  readonly all: boolean;
}

export type Replaced =
  | { readonly type: "found"; readonly strategy: StrategyName; readonly edits: readonly Edit[] }
  | { readonly type: "empty" | "same" | "absent" }
  /** It stands in several places, and one was asked for. */
  | { readonly type: "several"; readonly strategy: StrategyName; readonly places: readonly Span[] }
  /** It is written with escapes that the file does not have. */
  | { readonly type: "drift"; readonly escape: string };

/**
 * Where a text stands and what comes in its place (hermes.md §26.6; decision 0053): the first strategy that finds any place
 * decides. Line breaks are "\n" alone in all texts.
 */
export function fuzzyReplace(content: string, { old, now, all }: Replacement): Replaced {
  if (old === "") return { type: "empty" };
  if (old === now) return { type: "same" };
  for (const { name, find } of old.trim() === "" ? STRATEGIES.slice(0, 1) : STRATEGIES) {
    const places = find(content, old);
    if (places.length === 0) continue;
    if (places.length > 1 && !all) return { type: "several", strategy: name, places };
    const regions = places.map(({ from, until }) => content.slice(from, until));
    const escape = name === "exact" ? undefined : driftIn(regions, old, now);
    if (escape !== undefined) return { type: "drift", escape };
    const edits = places.map((place, n) => ({ ...place, text: written(regions[n] ?? "", { old, now, name }) }));
    return { type: "found", strategy: name, edits: unclosed(edits, content, old) };
  }
  return { type: "absent" };
}

/** Models escape quotes for JSON once too often: then both texts hold what the file does not. */
const driftIn = (regions: readonly string[], old: string, now: string): string | undefined =>
  ["\\'", '\\"'].find(
    (escape) => old.includes(escape) && now.includes(escape) && regions.some((region) => !region.includes(escape)),
  );

interface Writing {
  readonly old: string;
  readonly now: string;
  readonly name: StrategyName;
}

function written(region: string, { old, now, name }: Writing): string {
  const text = unescaped(now, region, name);
  return name === "exact" ? text : reindented(text, indentOf(old), indentOf(region));
}

/**
 * Escapes that stand for the characters of the place they come to. Only where the whole text is written so: a tab beside
 * `\t` says that the writer knows the difference.
 */
function unescaped(now: string, region: string, name: StrategyName): string {
  const escapes = [
    ["\\t", "\t"],
    ["\\r", "\r"],
    ...(name === "escape_normalized" ? [["\\n", "\n"] as const] : []),
  ] as const;
  let text = now;
  for (const [escape, character] of escapes)
    if (region.includes(character) && !region.includes(escape) && !now.includes(character))
      text = text.replaceAll(escape, character);
  return text;
}

/** A file without a last line break gets none from a text that was looked for with one. */
function unclosed(edits: readonly Edit[], content: string, old: string): readonly Edit[] {
  if (!old.endsWith("\n") || content.endsWith("\n")) return edits;
  return edits.map((edit) =>
    edit.until === content.length && edit.text.endsWith("\n") ? { ...edit, text: edit.text.slice(0, -1) } : edit,
  );
}
