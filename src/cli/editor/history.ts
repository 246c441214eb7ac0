import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const KEPT = 1_000;
/** The longest message that is worth coming back to, characters. */
const MAX_CHARS = 10_000;

/** Names of secrets with a value behind them, and what well-known keys begin with. */
const SECRETS = [
  /(?<![a-z])(?:api[-_ ]?key|access[-_ ]?key|token|secret|passwd|password|passphrase)["']?\s*[:=]\s*\S{6,}/iu,
  /\b(?:authorization:|bearer)\s+\S{6,}/iu,
  /\b(?:sk|pk|rk|ghp|gho|ghu|ghs|github_pat|glpat|xox[abeprs]|hf|npm|pypi|gsk|xai)[-_][\w-]{12,}/u,
  /\b(?:AKIA|ASIA|AIza|ya29\.|eyJ)[\w.-]{12,}/u,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/u,
  /:\/\/[^\s/:@]+:[^\s/@]+@/u,
];

/** A line that looks as if it held a secret is not kept. */
const looksSecret = (line: string): boolean => SECRETS.some((pattern) => pattern.test(line));

/** What was typed, over all sessions, the oldest first. A file that cannot be read or written is no reason to stop. */
export class History {
  private readonly path: string;
  private entries: string[] | undefined;
  /** How far back somebody has gone; 0: not at all. */
  private back = 0;
  /** What was being written before somebody went back. */
  private draft = "";

  constructor(path: string) {
    this.path = path;
  }

  add(line: string): void {
    this.back = 0;
    const entries = this.load();
    if (line.trim() === "" || line.length > MAX_CHARS || line === entries.at(-1) || looksSecret(line)) return;
    entries.push(line);
    if (entries.length > KEPT) entries.shift();
    quietly(() => {
      makeFolder(dirname(this.path));
      appendFileSync(this.path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    });
  }

  /** The entry before the one shown; undefined when there is none. */
  previous(draft: string): string | undefined {
    const entries = this.load();
    if (this.back >= entries.length) return undefined;
    if (this.back === 0) this.draft = draft;
    return entries[entries.length - ++this.back];
  }

  /** The entry behind the one shown, or what was being written. */
  next(): string | undefined {
    if (this.back === 0) return undefined;
    this.back--;
    return this.back === 0 ? this.draft : this.load()[this.load().length - this.back];
  }

  private load(): string[] {
    this.entries ??= this.read();
    return this.entries;
  }

  private read(): string[] {
    let text = "";
    quietly(() => (text = readFileSync(this.path, "utf8")));
    const all = text.split("\n").flatMap(entryOf);
    if (all.length > 2 * KEPT)
      quietly(() => {
        writeFileSync(
          this.path,
          all
            .slice(-KEPT)
            .map((line) => `${JSON.stringify(line)}\n`)
            .join(""),
          { mode: 0o600 },
        );
        chmodSync(this.path, 0o600);
      });
    return all.slice(-KEPT);
  }
}

/** One at a time: a recursive mkdir of Node never returns where a file system refuses new folders, as /proc does. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

function entryOf(line: string): string[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "string" ? [value] : [];
  } catch {
    return [];
  }
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // Nothing is lost but the way back to an old line.
  }
}
