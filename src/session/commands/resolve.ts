import { nearestName } from "../../protocol/nearest.ts";

/** What has to be known of a command to find it. */
export interface CommandName {
  /** Without the slash, in small letters. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** What may stand behind it. */
  readonly takes: "nothing" | "optional" | "text";
}

export type Resolution<C extends CommandName> =
  /** No command: words for the model. */
  | { readonly type: "message" }
  | { readonly type: "command"; readonly command: C; readonly text: string }
  | {
      readonly type: "refused";
      readonly cause: "unknown" | "ambiguous" | "takes-nothing" | "needs-text";
      /** As it was written, without the slash. */
      readonly said: string;
      /** The names that may be meant. */
      readonly nearest: readonly string[];
    };

/** A path has more than one slash, and is the beginning of a message. */
const WRITTEN = /^\/([^\s/]*)(?:\s+(.*))?$/su;

/** `/new@bot` is `/new`, said in a room where several listen (nanobot §4.1). */
const TO_WHOM = /@\w+$/u;

/**
 * Reads a line as a command. It is found by its name, an alias, or the beginning of one name alone; whatever else
 * begins with a slash is refused, so that no mistyped command ever reaches a model (row A14).
 */
export function resolveCommand<C extends CommandName>(line: string, commands: readonly C[]): Resolution<C> {
  const [written, word = "", rest = ""] = WRITTEN.exec(line) ?? [];
  if (written === undefined) return { type: "message" };
  const said = word.replace(TO_WHOM, "");
  const text = rest.trim();
  const found = find(said.toLowerCase(), commands);
  if (!("name" in found)) return { type: "refused", said, ...found };
  const refused = { type: "refused", said, nearest: [found.name] } as const;
  if (found.takes === "nothing" && text !== "") return { ...refused, cause: "takes-nothing" };
  if (found.takes === "text" && text === "") return { ...refused, cause: "needs-text" };
  return { type: "command", command: found, text };
}

interface NotFound {
  readonly cause: "unknown" | "ambiguous";
  readonly nearest: readonly string[];
}

function find<C extends CommandName>(said: string, commands: readonly C[]): C | NotFound {
  const exact = commands.find(({ name, aliases }) => name === said || aliases.includes(said));
  if (exact !== undefined) return exact;
  const begun = said === "" ? [] : commands.filter(({ name }) => name.startsWith(said));
  const [only, ...others] = begun;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined) return { cause: "ambiguous", nearest: begun.map(({ name }) => name) };
  const names = commands.flatMap(({ name, aliases }) => [name, ...aliases]);
  const near = said === "" ? undefined : nearestName(said, names);
  return { cause: "unknown", nearest: near === undefined ? [] : [near] };
}
