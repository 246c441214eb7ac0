import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import type { FailureReason } from "../../protocol/failure.ts";
import type { ModelName } from "../../protocol/ports.ts";

/** Whom a limit is about. */
export interface Limited extends ModelName {
  /** Fingerprint: of address and key, or of the key that was taken from a ring; "" is the model itself, whoever asks. */
  readonly key: string;
}

/** Until then it is better not asked. */
export interface Limit extends Limited {
  /** ms since the epoch */
  readonly untilMs: number;
  readonly reason: FailureReason;
}

/** What the sessions of one store have learnt of limits: one that meets a limit spares the others that (row D12). */
export interface Limits {
  /** Undefined: it may be asked now. */
  against(whom: Limited, nowMs: number): Limit | undefined;
  /** A limit that is known to last longer stays as it is. */
  add(limit: Limit, nowMs: number): void;
  remove(whom: Limited, nowMs: number): void;
}

/** However long a server wants to be left alone: after so long somebody looks whether that still holds, ms. */
const LONGEST_MS = 3_600_000;

/** It is asked before every request: others are looked for now and then alone, ms. */
const LOOK_MS = 100;

/** What ends later than any limit that is kept was written by a clock that was wrong. */
const holds = ({ untilMs }: Limit, nowMs: number): boolean => untilMs > nowMs && untilMs <= nowMs + LONGEST_MS;

const idOf = ({ provider, model, key }: Limited): string => `${provider}\n${model}\n${key}`;

/** `path`: a file that other processes read and write too; undefined: nothing outlives this process. */
export function openLimits(path: string | undefined): Limits {
  const file = path === undefined ? undefined : new LimitsFile(path);
  let known: ReadonlyMap<string, Limit> = new Map();
  const change = (nowMs: number, edit: (limits: Map<string, Limit>) => void): void => {
    const limits = new Map([...(file?.read() ?? known)].filter(([, limit]) => holds(limit, nowMs)));
    edit(limits);
    known = limits;
    file?.write(limits);
  };
  return {
    against(whom, nowMs) {
      if (file?.hasChanged(nowMs) === true) known = file.read();
      if (known.size === 0) return undefined;
      const limit = known.get(idOf(whom));
      return limit !== undefined && holds(limit, nowMs) ? limit : undefined;
    },
    add(limit, nowMs) {
      const untilMs = Math.min(limit.untilMs, nowMs + LONGEST_MS);
      change(nowMs, (limits) => {
        const before = limits.get(idOf(limit));
        if (before === undefined || before.untilMs < untilMs) limits.set(idOf(limit), { ...limit, untilMs });
      });
    },
    remove(whom, nowMs) {
      if (this.against(whom, nowMs) !== undefined) change(nowMs, (limits) => limits.delete(idOf(whom)));
    },
  };
}

/**
 * The limits of a store, beside it. It only spares requests: what cannot be read counts as nothing, what cannot be
 * written is known to this process alone, and of two that write at once one may lose.
 */
class LimitsFile {
  readonly #path: string;
  /** What tells one version of the file from another. */
  #version = "";
  #lookedMs = -Infinity;

  constructor(path: string) {
    this.#path = path;
  }

  hasChanged(nowMs: number): boolean {
    if (Math.abs(nowMs - this.#lookedMs) < LOOK_MS) return false;
    this.#lookedMs = nowMs;
    return this.#versionNow() !== this.#version;
  }

  read(): Map<string, Limit> {
    this.#version = this.#versionNow();
    if (this.#version === "") return new Map();
    try {
      const limits: unknown = JSON.parse(readFileSync(this.#path, "utf8"));
      return new Map((Array.isArray(limits) ? limits.filter(isLimit) : []).map((limit) => [idOf(limit), limit]));
    } catch {
      return new Map();
    }
  }

  write(limits: ReadonlyMap<string, Limit>): void {
    const draft = `${this.#path}.${process.pid}.draft`;
    try {
      writeFileSync(draft, JSON.stringify([...limits.values()]), { mode: 0o600 });
      renameSync(draft, this.#path);
    } catch {
      return;
    }
    this.#version = this.#versionNow();
  }

  #versionNow(): string {
    try {
      const found = statSync(this.#path, { throwIfNoEntry: false });
      return found?.isFile() === true ? `${found.ino} ${found.mtimeMs} ${found.size}` : "";
    } catch {
      return "";
    }
  }
}

function isLimit(value: unknown): value is Limit {
  if (typeof value !== "object" || value === null) return false;
  const { provider, model, key, untilMs, reason } = value as Record<string, unknown>;
  return [provider, model, key, reason].every((text) => typeof text === "string") && typeof untilMs === "number";
}
