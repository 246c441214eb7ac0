import { type Stats, statSync } from "node:fs";
import { resolve } from "node:path";
import type { InstallRefusal, SkillOrigin } from "../../../protocol/skill-install.ts";

/** Where paths of a source begin, and what `~` is. */
export interface Whereabouts {
  readonly cwd: string;
  readonly home: string;
}

/**
 * A source as a person writes it: a folder, a `.tar` or `.tar.gz` that lies here, or the address of a git repository with
 * the commit behind a `#`, and behind a `:` the folder in it. A branch or tag is refused: others can move it.
 */
export function readSource(source: string, around: Whereabouts): SkillOrigin | InstallRefusal {
  if (/^[a-z][a-z0-9+.-]*:/iu.test(source) && !/^[a-z]:[\\/]/iu.test(source)) return gitOrigin(source);
  const path = resolve(around.cwd, source.replace(/^~(?=\/|$)/u, around.home));
  const found = source.trim() === "" ? undefined : whatIsAt(path);
  if (found === undefined) return { why: "absent", source };
  if (found.isDirectory()) return { type: "folder", path };
  return found.isFile() && /\.(?:tar|tgz|tar\.gz)$/iu.test(path)
    ? { type: "archive", path }
    : { why: "source", source };
}

/** Undefined: nothing that can be read, for whatever reason. */
function whatIsAt(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function gitOrigin(source: string): SkillOrigin | InstallRefusal {
  const [, address = "", commit = "", folder] = /^([^#]*)#([0-9a-f]{40})(?::(.+))?$/iu.exec(source) ?? [];
  if (address === "") return { why: "no-commit", source };
  const url = addressIn(address);
  if (url === undefined || !isFetched(url)) return { why: "protocol", source };
  if (url.password !== "" || (url.username !== "" && url.protocol !== "ssh:"))
    return { why: "address-key", source: `${url.protocol}//${url.host}` };
  return { type: "git", address, commit: commit.toLowerCase(), ...(folder !== undefined && { folder }) };
}

/** White space in it would be read otherwise by whoever reads it next. */
const addressIn = (text: string): URL | undefined =>
  URL.canParse(text) && !/[\s\p{C}]/u.test(text) ? new URL(text) : undefined;

/** What goes over a network is hidden from it. */
const isFetched = ({ protocol, hostname }: URL): boolean =>
  ["https:", "ssh:", "file:"].includes(protocol) || (protocol === "http:" && LOOPBACK.has(hostname));

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);
