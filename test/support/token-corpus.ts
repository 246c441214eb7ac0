import { readFileSync } from "node:fs";

/** A text and how many tokens of o200k it is, by `scripts/token-corpus.mjs`. */
export interface CorpusText {
  readonly id: string;
  readonly kind: string;
  readonly tokens: number;
  readonly text: string;
}

/** What estimates are fitted to, and what nothing was ever fitted to: other sentences, names and files. */
export type CorpusPart = "tuned" | "held-out";

export const corpusFile = (part: CorpusPart): URL => new URL(`../fixtures/token-corpus/${part}.jsonl`, import.meta.url);

export const readCorpus = (part: CorpusPart): CorpusText[] =>
  linesOf(corpusFile(part)).map((line): CorpusText => JSON.parse(line));

const linesOf = (file: URL): string[] => readFileSync(file, "utf8").trimEnd().split("\n");

/** How many tokens of another family the texts of the corpus are, those of up to 8,000 characters, by its own tokenizer. */
export interface FamilyCounts {
  /** A model of the family. */
  readonly model: string;
  readonly source: string;
  /** By the id of the text. */
  readonly tokens: Readonly<Record<string, number>>;
}

export const readFamilies = (): FamilyCounts[] =>
  linesOf(new URL("../fixtures/token-corpus/families.jsonl", import.meta.url)).map((line): FamilyCounts =>
    JSON.parse(line),
  );

/** What a provider told of a text that o200k makes so many tokens. */
export interface RecordedUsage {
  readonly model: string;
  readonly o200k: number;
  readonly told: number;
  readonly source: string;
}

export const readUsage = (): RecordedUsage[] =>
  linesOf(new URL("../fixtures/token-corpus/usage.jsonl", import.meta.url)).map((line): RecordedUsage =>
    JSON.parse(line),
  );

/** How far estimates are from what is true, as shares of it: of both directions together, and the worst of each. */
export interface Errors {
  readonly p50: number;
  readonly p90: number;
  readonly low: number;
  readonly high: number;
}

export function errorsOf(pairs: readonly { readonly estimate: number; readonly truth: number }[]): Errors {
  const errors = pairs.map(({ estimate, truth }) => estimate / truth - 1);
  const sizes = errors.map(Math.abs).toSorted((a, b) => a - b);
  const at = (share: number): number => sizes[Math.min(sizes.length - 1, Math.floor(sizes.length * share))] ?? 0;
  return { p50: at(0.5), p90: at(0.9), low: Math.min(0, ...errors), high: Math.max(0, ...errors) };
}
