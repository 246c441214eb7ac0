import type { Entry } from "./entry.ts";

/** What was set of the terminal; what is absent is as usual. */
export interface TerminalSetting {
  /** Seconds. */
  readonly timeout?: number;
  readonly background?: number;
  readonly backend?: "local" | "docker" | "ssh";
  readonly image?: string;
  readonly host?: string;
  readonly folder?: string;
  readonly processes?: number;
  /** Megabytes. */
  readonly memory?: number;
  readonly files?: number;
  /** Megabytes. */
  readonly fileSize?: number;
}

/** By the last part of each key: no two are the same. */
export const terminalIn = (entries: ReadonlyMap<string, Entry>): TerminalSetting =>
  Object.fromEntries(
    [...entries].flatMap(([key, { value }]) =>
      key.startsWith("terminal.") && key !== "terminal.env"
        ? [[key.slice(key.lastIndexOf(".") + 1), value] as const]
        : [],
    ),
  );
