import { basename, extname } from "node:path";
import { reasonOf } from "../../protocol/reason-of.ts";
import { textOf } from "./text/file-text.ts";

/** Larger files are not checked, bytes. */
const MOST_CHECKED = 1_000_000;

/** Of the readers of these, comments are JSON too. */
const COMMENTED = /^(?:ts|js)config\b.*\.json$|^(?:devcontainer|settings|launch|tasks|extensions)\.json$/u;

/** What is wrong with the new text of a file, where that is cheap to tell and the old text was right; undefined: nothing is. */
export async function syntaxNote(path: string, now?: Buffer, before?: Buffer): Promise<string | undefined> {
  const name = basename(path).toLowerCase();
  const read = COMMENTED.test(name) ? undefined : READERS[extname(name)];
  if (read === undefined || now === undefined || now.length > MOST_CHECKED) return undefined;
  const fault = await faultOf(now, read);
  // Many files with this ending hold comments, or are made to be filled in: their owner knows.
  if (fault === undefined || (before !== undefined && (await faultOf(before, read)) !== undefined)) return undefined;
  return `Note: the file is written, but it is not valid ${read.name}: ${fault}`;
}

interface Reader {
  readonly name: string;
  readonly read: (text: string) => Promise<void>;
}

const JSON_READER: Reader = {
  name: "JSON",
  read: async (text) => {
    JSON.parse(text);
  },
};

const YAML_READER: Reader = {
  name: "YAML",
  read: async (text) => {
    const { parseAllDocuments } = await import("yaml");
    const documents = parseAllDocuments(text, { logLevel: "silent" });
    const [error] = Array.isArray(documents) ? documents.flatMap(({ errors }) => errors) : [];
    if (error !== undefined) throw error;
  },
};

const READERS: Readonly<Record<string, Reader>> = { ".json": JSON_READER, ".yaml": YAML_READER, ".yml": YAML_READER };

async function faultOf(bytes: Buffer, { read }: Reader): Promise<string | undefined> {
  const text = textOf(bytes)?.text;
  if (text === undefined || text.trim() === "") return undefined;
  try {
    await read(text);
    return undefined;
  } catch (error) {
    return reasonOf(error).split("\n", 1)[0];
  }
}
