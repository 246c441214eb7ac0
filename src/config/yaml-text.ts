import type * as YamlModule from "yaml";
import type { Document, LineCounter, Pair, YAMLMap } from "yaml";
import type { FileFault } from "../protocol/setting.ts";
import { findKey, isGroup } from "./keys.ts";
import type { Given } from "./read-entry.ts";

type Yaml = typeof YamlModule;

/** Loaded only where a config file lies: it takes longer to load than the rest of the program. */
export const loadYaml = (): Promise<Yaml> => import("yaml");

export type YamlReading =
  | { readonly type: "settings"; readonly given: readonly Given[] }
  | { readonly type: "broken"; readonly place: string; readonly fault: FileFault };

/** A config is a page, not a data base; bytes. */
export const MOST_BYTES: number = 262_144;

/** What a file says, in the order it says it; never throws for what is in it. */
export function readYaml(yaml: Yaml, file: string, text: string): YamlReading {
  const lines = new yaml.LineCounter();
  try {
    const document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false });
    const [error] = document.errors;
    if (error !== undefined)
      return {
        type: "broken",
        place: placeIn(file, lines, error.pos[0]),
        fault: { type: "no-yaml", detail: clause(error) },
      };
    return readDocument(yaml, { file, lines, document });
  } catch (error) {
    // The parser recurses.
    if (!(error instanceof RangeError)) throw error;
    return { type: "broken", place: `${file}:1:1`, fault: { type: "too-deep" } };
  }
}

/** Behind a colon the parser quotes the text, which may hold anything. */
const clause = ({ message }: Error): string =>
  message
    .replace(/:\s.*$/su, "")
    .replace(/\s+/gu, " ")
    .replace(/[.:\s]+$/u, "");

interface Source {
  readonly file: string;
  readonly lines: LineCounter;
  readonly document: Document.Parsed;
}

function readDocument(yaml: Yaml, source: Source): YamlReading {
  const { contents } = source.document;
  if (contents === null || (yaml.isScalar(contents) && contents.value === null)) return { type: "settings", given: [] };
  if (!yaml.isMap(contents)) {
    const place = placeIn(source.file, source.lines, contents.range[0]);
    return { type: "broken", place, fault: { type: "no-config" } };
  }
  return { type: "settings", given: [...new Walk(yaml, source).settings(contents, "")] };
}

const placeIn = (file: string, lines: LineCounter, offset: number): string => {
  const { line, col } = lines.linePos(offset);
  return `${file}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
};

/** Goes through a document along the groups of the table of keys; what no group is, is never gone into. */
class Walk {
  private readonly yaml: Yaml;
  private readonly source: Source;

  constructor(yaml: Yaml, source: Source) {
    this.yaml = yaml;
    this.source = source;
  }

  *settings(map: YAMLMap, group: string): Generator<Given> {
    for (const pair of map.items) {
      const name = this.yaml.isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
      const key = group === "" ? name : `${group}.${name}`;
      const value = this.resolved(pair.value);
      if (findKey(key) === undefined && isGroup(key) && this.yaml.isMap(value)) yield* this.settings(value, key);
      else if (isGroup(key) && this.isEmpty(value)) continue;
      else yield { key, given: this.plain(value, 0), place: this.placeOf(pair) };
    }
  }

  private isEmpty(node: unknown): boolean {
    return node === null || (this.yaml.isScalar(node) && node.value === null);
  }

  private resolved(node: unknown): unknown {
    return this.yaml.isAlias(node) ? node.resolve(this.source.document) : node;
  }

  /** Of a setting as a whole: an editor that is told it shows the line. */
  private placeOf({ key, value }: Pair): string {
    const ranges = [key, value].map((node) => (this.yaml.isNode(node) ? node.range : undefined));
    return placeIn(this.source.file, this.source.lines, ranges.find((range) => Array.isArray(range))?.[0] ?? 0);
  }

  /** As plain data; no setting is deeper than a list in a group. */
  private plain(given: unknown, depth: number): unknown {
    const node = this.resolved(given);
    if (this.yaml.isScalar(node)) return node.value;
    if (depth > 1) return undefined;
    if (this.yaml.isSeq(node)) return node.items.map((item) => this.plain(item, depth + 1));
    if (!this.yaml.isMap(node)) return undefined;
    return Object.fromEntries(node.items.map((pair) => [String(pair.key), this.plain(pair.value, depth + 1)]));
  }
}
