/** One line of an outline. */
interface Entry {
  /** From 1; 0 when the entry has no line of its own. */
  readonly line: number;
  readonly depth: number;
  readonly label: string;
}

export interface Outline {
  /** What each entry is: "heading", "definition", "key". */
  readonly what: string;
  readonly entries: readonly Entry[];
}

/** Outlines a text by the ending of its path, with simple line rules. Undefined when there are none for this kind of file. */
export function outlineOf(path: string, lines: readonly string[]): Outline | undefined {
  const ending = /\.([^./\\]+)$/u.exec(path)?.[1]?.toLowerCase() ?? "";
  if (/^(?:md|markdown|mdx|mkd)$/u.test(ending) || /(?:^|\/)readme$/iu.test(path)) {
    return { what: "heading", entries: headings(lines) };
  }
  if (/^(?:json|jsonc|webmanifest)$/u.test(ending)) return keysOfJson(lines.join("\n"));
  const rules = RULES.find((set) => set.endings.test(ending));
  return rules && { what: rules.what, entries: matchLines(lines, rules) };
}

function headings(lines: readonly string[]): Entry[] {
  const entries: Entry[] = [];
  let fence = "";
  lines.forEach((text, index) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/u.exec(text)?.[1];
    if (fence !== "") {
      if (mark !== undefined && mark.startsWith(fence) && text.trim() === mark) fence = "";
      return;
    }
    if (mark !== undefined) {
      fence = mark;
      return;
    }
    const heading = atxHeading(text, index + 1) ?? underlinedHeading(lines, index);
    if (heading !== undefined) entries.push(heading);
  });
  return entries;
}

function atxHeading(text: string, line: number): Entry | undefined {
  const match = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/u.exec(text);
  if (match?.[1] === undefined) return undefined;
  return { line, depth: match[1].length - 1, label: (match[2] ?? "").replace(/(?:^|[ \t]+)#+[ \t]*$/u, "").trim() };
}

function underlinedHeading(lines: readonly string[], index: number): Entry | undefined {
  const text = lines[index] ?? "";
  const below = lines[index + 1] ?? "";
  const depth = /^ {0,3}=+[ \t]*$/u.test(below) ? 0 : /^ {0,3}-+[ \t]*$/u.test(below) ? 1 : undefined;
  const before = lines[index - 1] ?? "";
  const single = before.trim() === "" || /^ {0,3}#/u.test(before);
  if (depth === undefined || !single || !/^ {0,3}[^\s>#|*+-]/u.test(text)) return undefined;
  return { line: index + 1, depth, label: text.trim() };
}

function keysOfJson(text: string): Outline {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { what: "key (the text is no valid JSON)", entries: [] };
  }
  if (typeof value !== "object" || value === null) return { what: "key", entries: [] };
  if (Array.isArray(value))
    return { what: "key", entries: [{ line: 0, depth: 0, label: `a list of ${value.length} entries` }] };
  const entries = Object.entries(value).map(([key, inner]) => ({
    line: 0,
    depth: 0,
    label: `${key}: ${describe(inner)}`,
  }));
  return { what: "key", entries };
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return `list of ${value.length}`;
  if (typeof value === "object" && value !== null) return `object with ${Object.keys(value).length} keys`;
  return typeof value === "string" ? "text" : String(value === null ? "null" : typeof value);
}

interface Rules {
  readonly endings: RegExp;
  readonly what: string;
  /** Group `name` is shown; a line counts once. */
  readonly patterns: readonly RegExp[];
  /** Opening and closing of text that holds no code. */
  readonly skip?: { readonly open: RegExp; readonly close: RegExp };
}

const BLOCK_COMMENT = { open: /^\s*\/\*(?!.*\*\/)/u, close: /\*\// };

const RULES: readonly Rules[] = [
  {
    endings: /^(?:[cm]?[jt]s|[jt]sx)$/u,
    what: "definition",
    patterns: [
      /^\s*(?<name>(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:async\s+)?function\s*\*?\s*[\w$]*)/u,
      /^\s*(?<name>(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:class|interface|enum|namespace)\s+[\w$]+)/u,
      /^\s*(?<name>(?:export\s+)?(?:declare\s+)?type\s+[\w$]+)(?=\s*(?:=|<))/u,
      /^(?<name>export\s+(?:const|let|var)\s+[\w$]+)/u,
      /^(?<name>(?:const|let|var)\s+[\w$]+)(?=[^=]*=\s*(?:async\s*)?(?:function\b|\([^)]*\)[^=]*=>|[\w$]+\s*=>))/u,
      /^(?<name>export\s+(?:type\s+)?(?:\{[^}]*\}|\*)(?:\s+from\s+\S+)?)/u,
      /^(?<name>export\s+default\b.{0,60})/u,
    ],
    skip: BLOCK_COMMENT,
  },
  {
    endings: /^pyi?$/u,
    what: "definition",
    patterns: [/^\s*(?<name>(?:async\s+)?def\s+\w+|class\s+\w+)/u],
    skip: { open: /^\s*(?:"""(?!.*""")|'''(?!.*'''))/u, close: /"""|'''/u },
  },
  {
    endings: /^go$/u,
    what: "definition",
    patterns: [/^(?<name>func\s+(?:\([^)]*\)\s*)?\w+)/u, /^(?<name>type\s+\w+)/u],
    skip: BLOCK_COMMENT,
  },
  {
    endings: /^rs$/u,
    what: "definition",
    patterns: [
      /^\s*(?<name>(?:pub(?:\([^)]*\))?\s+)?(?:const\s+|async\s+|unsafe\s+|extern\s+"[^"]*"\s+)*fn\s+\w+)/u,
      /^\s*(?<name>(?:pub(?:\([^)]*\))?\s+)?(?:struct|enum|trait|mod|union|type)\s+\w+)/u,
      /^\s*(?<name>impl\b[^{]*|macro_rules!\s*\w+)/u,
    ],
    skip: BLOCK_COMMENT,
  },
  {
    endings: /^(?:java|kts?|cs|swift|scala|php|dart)$/u,
    what: "definition",
    patterns: [
      /^\s*(?<name>(?:[a-z]+\s+)*(?:class|interface|enum|struct|record|object|trait|protocol|extension)\s+\w+)/u,
      /^\s*(?<name>(?:[a-z]+\s+)*(?:fun|func|function|def)\s+\w+)/u,
      /^\s+(?<name>(?:public|private|protected|internal|static)\s[\w<>[\],\s]*\w+)\s*\(/u,
    ],
    skip: BLOCK_COMMENT,
  },
  {
    endings: /^rb$/u,
    what: "definition",
    patterns: [/^\s*(?<name>(?:def|class|module)\s+[\w.:?!]+)/u],
    skip: { open: /^=begin/u, close: /^=end/u },
  },
  {
    endings: /^(?:ba|z)?sh$/u,
    what: "function",
    patterns: [/^\s*(?<name>function\s+[\w-]+|[\w-]+\s*\(\))/u],
  },
  { endings: /^ya?ml$/u, what: "key", patterns: [/^(?<name>[\w.$"'-]+(?:\s[\w.-]+)*)\s*:(?:\s|$)/u] },
  { endings: /^(?:toml|ini|cfg|conf)$/u, what: "section", patterns: [/^\s*(?<name>\[{1,2}[^\]]+\]{1,2})/u] },
  { endings: /^html?$/u, what: "heading", patterns: [/<h[1-6][^>]*>\s*(?<name>[^<]*)/iu] },
];

function matchLines(lines: readonly string[], { patterns, skip }: Rules): Entry[] {
  const entries: Entry[] = [];
  let skipping = false;
  lines.forEach((text, index) => {
    if (skipping) {
      skipping = skip === undefined || !skip.close.test(text);
      return;
    }
    skipping = skip !== undefined && skip.open.test(text);
    const name = skipping ? undefined : firstName(patterns, text);
    if (name !== undefined)
      entries.push({ line: index + 1, depth: depthOf(text), label: name.trim().replaceAll(/\s+/gu, " ") });
  });
  return entries;
}

/** Longer lines are data, not definitions. */
const MAX_LINE_CHARS = 500;

function firstName(patterns: readonly RegExp[], text: string): string | undefined {
  if (text.length > MAX_LINE_CHARS) return undefined;
  for (const pattern of patterns) {
    const name = pattern.exec(text)?.groups?.["name"];
    if (name !== undefined && name.trim() !== "") return name;
  }
  return undefined;
}

const depthOf = (text: string): number =>
  Math.floor((/^[ \t]*/u.exec(text)?.[0].replaceAll("\t", "    ").length ?? 0) / 2);
