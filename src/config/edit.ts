import { mkdirSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Document, Node, Scalar } from "yaml";
import type { EditFault } from "../protocol/setting.ts";
import { readText } from "./config-file.ts";
import { stepsOf } from "./keys.ts";
import { configSchema } from "./schema.ts";
import { isList, type Value } from "./values.ts";
import { loadYaml } from "./yaml-text.ts";

type Yaml = Awaited<ReturnType<typeof loadYaml>>;

/** What a file would say after a change; or why it cannot be changed by a program. */
export type Edited =
  | { readonly type: "edited"; readonly text: string }
  | { readonly type: "refused"; readonly fault: EditFault };

const SCHEMA_FILE = "config.schema.json";
/** Editors that know YAML read this line. */
const HEADER = `# yaml-language-server: $schema=./${SCHEMA_FILE}\n`;

/** A file that has no setting yet. */
export const newConfig = (): string => HEADER;

/** Sets one key; comments, order, and everything else stay as they are. */
export async function setInText(text: string, key: string, value: Value): Promise<Edited> {
  const yaml = await loadYaml();
  const document: Document = yaml.parseDocument(text);
  const refused = refusal(yaml, document, key);
  if (refused !== undefined) return { type: "refused", fault: refused };
  const spliced = splice(yaml, { text, document, key, value });
  if (spliced !== undefined) return { type: "edited", text: spliced };
  const path = stepsOf(key);
  if (!yaml.isMap(document.contents)) document.contents = document.createNode({});
  openGroup(yaml, document, path);
  document.setIn(path, nodeOf(document, value));
  return { type: "edited", text: write(document, text) };
}

/** Takes a key out, also one that no setting is. Undefined when it is not there. */
export async function unsetInText(text: string, key: string): Promise<Edited | undefined> {
  const yaml = await loadYaml();
  const document: Document = yaml.parseDocument(text);
  const refused = refusal(yaml, document, key);
  if (refused !== undefined) return { type: "refused", fault: refused };
  const path = document.has(key) ? [key] : stepsOf(key);
  if (!yaml.isMap(document.contents) || !document.hasIn(path)) return undefined;
  document.deleteIn(path);
  for (let at = path.slice(0, -1); at.length > 0; at = at.slice(0, -1)) {
    const group = document.getIn(at);
    if (!yaml.isMap(group) || group.items.length > 0) break;
    document.deleteIn(at);
  }
  const empty = yaml.isMap(document.contents) && document.contents.items.length === 0;
  return { type: "edited", text: empty ? commentsOf(text) : write(document, text) };
}

/** Of a file whose last setting was taken out. */
const commentsOf = (text: string): string =>
  text
    .split(/(?<=\n)/u)
    .filter((line) => /^\s*(?:#|$)/u.test(line))
    .join("");

function refusal(yaml: Yaml, document: Document, key: string): EditFault | undefined {
  if (document.errors.length > 0) return { type: "no-yaml" };
  if (document.contents !== null && !yaml.isMap(document.contents) && !isNull(yaml, document.contents))
    return { type: "no-config" };
  const path = stepsOf(key);
  const steps = path.map((_, index) => document.getIn(path.slice(0, index + 1), true));
  if (steps.some((node) => yaml.isAlias(node))) return { type: "alias", key };
  const group = steps.slice(0, -1).find((node) => node !== undefined && !yaml.isMap(node) && !isNull(yaml, node));
  return group === undefined ? undefined : { type: "group-is-a-value", key };
}

function nodeOf(document: Document, value: Value): Node {
  if (typeof value !== "object") return document.createNode(plain(value));
  return isList(value) ? document.createNode([...value]) : document.createNode(value, { flow: true });
}

const isNull = (yaml: Yaml, node: unknown): boolean => yaml.isScalar(node) && node.value === null;

const plain = (value: Value): unknown => (value === Infinity ? "Infinity" : value);

interface Change {
  readonly text: string;
  readonly document: Document;
  readonly key: string;
  readonly value: Value;
}

/** A value in the place of another, byte for byte nothing else; undefined where there is none to replace. */
function splice(yaml: Yaml, { text, document, key, value }: Change): string | undefined {
  const node = document.getIn(stepsOf(key), true);
  if (!yaml.isScalar(node) || !isPlainScalar(node) || typeof value === "object") return undefined;
  const [from, to] = node.range ?? [0, 0];
  if (to <= from) return undefined;
  const edited = text.slice(0, from) + scalar(value) + text.slice(to);
  const after = yaml.parseDocument(edited);
  return after.errors.length === 0 && after.getIn(stepsOf(key)) === plain(value) ? edited : undefined;
}

/** Not a block, no anchor that others stand for, no tag. */
const isPlainScalar = ({ type, anchor, tag }: Scalar): boolean =>
  anchor === undefined && tag === undefined && type !== "BLOCK_FOLDED" && type !== "BLOCK_LITERAL";

const scalar = (value: Exclude<Value, object>): string => {
  const given = plain(value);
  return typeof given === "string" && /^[a-z][\w./-]*$/iu.test(given) && !/^(?:true|false|null)$/iu.test(given)
    ? given
    : JSON.stringify(given);
};

/** A group whose settings are all commented out is no map yet. */
function openGroup(yaml: Yaml, document: Document, path: readonly string[]): void {
  for (let depth = 1; depth < path.length; depth++) {
    const at = path.slice(0, depth);
    const node = document.getIn(at, true);
    if (!yaml.isMap(node)) document.setIn(at, emptyGroup(yaml, document, node));
    else if (node.items.length === 0) node.flow = false;
  }
}

function emptyGroup(yaml: Yaml, document: Document, node: unknown): Node {
  const group = document.createNode({});
  const comments = yaml.isScalar(node) ? [node.commentBefore, node.comment] : [];
  const kept = comments.filter((comment) => typeof comment === "string");
  if (kept.length > 0) group.commentBefore = kept.join("\n");
  return group;
}

function write(document: Document, before: string): string {
  const text = document.toString({ lineWidth: 0, indent: indentOf(before) });
  return before.includes("\r\n") ? text.replace(/\r?\n/gu, "\r\n") : text;
}

/** As wide as the file has it. */
function indentOf(text: string): number {
  const inner = text.split("\n").find((line) => /^ +[^\s#-]/u.test(line));
  const width = inner?.search(/\S/u) ?? 2;
  return width <= 8 ? width : 2;
}

/** Writes a config as a whole, also where its name is a link; the schema beside it is what the header names. */
export function writeConfig(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const real = realPath(path);
  const mode = statSync(real, { throwIfNoEntry: false })?.mode ?? 0o600;
  const draft = `${real}.${process.pid}.draft`;
  writeFileSync(draft, text, { mode: mode & 0o777 });
  renameSync(draft, real);
  if (text.startsWith(HEADER)) writeSchema(dirname(path));
}

function writeSchema(folder: string): void {
  const path = join(folder, SCHEMA_FILE);
  const text = `${JSON.stringify(configSchema(), undefined, 2)}\n`;
  const found = readText(path);
  if (found.type !== "text" || found.text !== text) writeFileSync(path, text);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
