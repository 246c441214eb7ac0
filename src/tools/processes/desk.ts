import { existsSync } from "node:fs";
import type { Beside } from "../../protocol/beside.ts";
import type { Processes, ProcessesOptions } from "./processes.ts";

/** The background processes of all sessions; what looks after them is loaded with the first one. */
export interface ProcessDesk extends Beside {
  open(): Promise<Processes>;
  /** What else ends with a session, such as the container of its commands; undefined: with all. It must not reject. */
  endsWith(end: (sessionId: string | undefined) => Promise<void>): void;
  /** Of a session that is over. Never rejects. */
  leave(sessionId: string): Promise<void>;
  /** Ends them all. Never rejects. */
  close(): Promise<void>;
}

export interface DeskOptions extends Omit<ProcessesOptions, "clean"> {
  /** Takes what nobody may see out of whole lines; asked for with the first process. */
  readonly cleaner?: () => Promise<(text: string) => string>;
}

export function processDesk({ cleaner, ...options }: DeskOptions): ProcessDesk {
  let opened: Processes | undefined;
  const ends: ((sessionId: string | undefined) => Promise<void>)[] = [];
  const open = async (): Promise<Processes> => {
    const [{ Processes }, clean] = await Promise.all([import("./processes.ts"), cleaner?.()]);
    return (opened ??= new Processes({ ...options, ...(clean && { clean }) }));
  };
  /** There is something to look after; a life before this one may have left it. */
  const there = async (): Promise<Processes | undefined> => opened ?? (existsSync(options.folder) ? open() : undefined);
  return {
    open,
    async take(sessionId, when) {
      const processes = when === "message" ? await there() : opened;
      return processes?.news(sessionId) ?? [];
    },
    endsWith: (end) => {
      ends.push(end);
    },
    async leave(sessionId) {
      await (await there())?.leave(sessionId);
      await Promise.all(ends.map((end) => end(sessionId)));
    },
    async close() {
      await opened?.close();
      await Promise.all(ends.map((end) => end(undefined)));
    },
  };
}
