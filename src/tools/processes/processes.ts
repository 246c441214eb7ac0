import { readFileSync } from "node:fs";
import { RecentMap } from "../../protocol/recent-map.ts";
import { reasonOf } from "../../protocol/reason-of.ts";
import { type Launch, launch } from "../terminal/launch.ts";
import type { Limits } from "../terminal/limits.ts";
import { markedBy, startTicksOf } from "../terminal/process-tree.ts";
import { Background } from "./background.ts";
import { bootId, type Call, type Handle, HandleFiles, isOwnerAlive, markerOf, ownOwner, treeOf } from "./handle.ts";
import { endWords, named } from "./process-words.ts";
import { RollingLog } from "./rolling-log.ts";

export interface ProcessesOptions {
  /** Where handles and outputs are kept; made when it is needed. */
  readonly folder: string;
  /** At once, in one session. */
  readonly most: number;
  /** Takes what nobody may see out of a text, before it is kept. */
  readonly clean?: (text: string) => string;
  readonly now?: () => number;
  /** Told of what begins and ends, for logs. */
  readonly log?: (line: string, fields: Readonly<Record<string, string | number>>) => void;
}

export interface Start {
  readonly call: Call;
  readonly command: string;
  readonly cwd: string;
  readonly launch: Launch;
  readonly limits: Limits;
  readonly endElsewhere?: (() => Promise<void>) | undefined;
}

/** What became of a start that a process which died had recorded. */
export type Resumed =
  | { readonly type: "found"; readonly process: Background }
  /** Nothing of it runs, and nothing is written down: it had not begun, or has gone. */
  | { readonly type: "unknown" };

/** Ended processes of one session that can still be read, and sessions of which it is known that there are none. */
const MOST_ENDED = 20;
const MOST_WITHOUT = 1_000;

/** Processes that run beside sessions, survive their turns, and end with them. */
export class Processes {
  readonly #options: Required<ProcessesOptions>;
  readonly #files: HandleFiles;
  readonly #bySession = new Map<string, Background[]>();
  /** Sessions that are known to have left nothing here. */
  readonly #without = new RecentMap<string, true>(MOST_WITHOUT);
  readonly #endNow = (): void => {
    for (const process of this.#all()) process.endNow();
  };

  constructor({ clean = (text) => text, now = Date.now, log = () => undefined, ...options }: ProcessesOptions) {
    this.#options = { ...options, clean, now, log };
    this.#files = new HandleFiles(options.folder);
    // A process that ends in any way but SIGKILL leaves none behind.
    process.on("exit", this.#endNow);
  }

  /** Rejects with one sentence when it cannot be started. */
  async start({ call, command, cwd, launch: what, limits, endElsewhere }: Start): Promise<Background> {
    const known = this.of(call.sessionId);
    const running = known.filter((process) => process.past() === undefined);
    if (running.length >= this.#options.most) throw new Error(tooMany(running));
    const about = { ...call, command, cwd, marker: markerOf(call), id: nextId(known) };
    const begun: Handle = { ...about, startedMs: this.#options.now(), owner: ownOwner(), boot: bootId() };
    this.#note(begun);
    try {
      const launched = await launch(what, limits);
      const handle = { ...begun, pid: launched.pid, startTicks: startTicksOf(launched.pid) };
      this.#files.write(handle);
      const parts = { ...this.#partsOf(handle), launched, log: this.#logOf(handle), endElsewhere };
      const process = this.#add(new Background(parts));
      await this.#forgetOld(call.sessionId);
      return process;
    } catch (error) {
      this.#files.remove(begun);
      throw new Error(`The command was not started: ${reasonOf(error)}`, { cause: error });
    }
  }

  /** All of a session, also those that an earlier life of this program has left. */
  of(sessionId: string): readonly Background[] {
    const known = this.#bySession.get(sessionId);
    if (known !== undefined) return known;
    if (this.#without.has(sessionId)) return [];
    this.#without.set(sessionId, true);
    for (const handle of this.#files.all()) {
      if (handle.sessionId === sessionId && !isOwnerAlive(handle)) this.#adopt(handle);
    }
    return this.#bySession.get(sessionId) ?? [];
  }

  find(sessionId: string, id: string): Background | undefined {
    return this.of(sessionId).find(({ handle }) => handle.id === id);
  }

  /** Starts nothing. */
  resume(call: Call): Resumed {
    const marker = markerOf(call);
    const found = this.of(call.sessionId).find(({ handle }) => handle.marker === marker);
    return found === undefined ? { type: "unknown" } : { type: "found", process: found };
  }

  /** What has ended in a session since somebody was told. */
  news(sessionId: string): readonly string[] {
    const ended = this.of(sessionId).filter((process) => !process.isTold && process.past() !== undefined);
    return ended.map((process) => {
      process.isTold = true;
      return `The background process ${named(process)} has ended: ${endWords(process)}.`;
    });
  }

  /** The session is over: what it has running ends. Never rejects. */
  async leave(sessionId: string): Promise<void> {
    const all = this.of(sessionId);
    this.#bySession.delete(sessionId);
    await Promise.all(
      all.map(async (process) => {
        if (process.past() === undefined) await process.end().catch(() => []);
        await process.log.settled();
        this.#files.remove(process.handle);
      }),
    );
  }

  /** The program ends. */
  async close(): Promise<void> {
    await Promise.all([...this.#bySession.keys()].map((sessionId) => this.leave(sessionId)));
    process.off("exit", this.#endNow);
  }

  /** Those that have ended and that somebody was told of are kept for a while, to be read. */
  async #forgetOld(sessionId: string): Promise<void> {
    const all = this.#bySession.get(sessionId) ?? [];
    const over = all.filter((process) => process.isTold && process.past() !== undefined).slice(0, -MOST_ENDED);
    if (over.length === 0) return;
    this.#bySession.set(
      sessionId,
      all.filter((process) => !over.includes(process)),
    );
    for (const process of over) {
      await process.log.settled();
      this.#files.remove(process.handle);
    }
  }

  /** What is not written down would be lost to the next life of the program, so it is not begun either. */
  #note(begun: Handle): void {
    try {
      this.#files.write(begun);
    } catch (error) {
      const where = this.#options.folder;
      throw new Error(`The command was not started: nothing can be written in ${where} (${reasonOf(error)}).`, {
        cause: error,
      });
    }
  }

  #all(): readonly Background[] {
    return [...this.#bySession.values()].flat();
  }

  #add(process: Background): Background {
    const { sessionId, id, pid = 0 } = process.handle;
    this.#bySession.set(sessionId, [...(this.#bySession.get(sessionId) ?? []), process]);
    this.#options.log(`background process ${id} runs as ${pid}`, { event: "process-start", session: sessionId, pid });
    return process;
  }

  /** A start that was cut off before its pid was written down is found by its marker. */
  #adopt(left: Handle): void {
    const [first] = left.pid === undefined && left.boot === bootId() ? markedBy(left.marker) : [];
    const found = first && { pid: first.pid, startTicks: startTicksOf(first.pid) };
    const handle: Handle = { ...left, ...found, owner: ownOwner() };
    try {
      this.#files.write(handle);
    } catch {
      // Whoever comes next finds it as it was.
    }
    const before = treeOf(handle) === undefined && handle.pid !== undefined ? "" : readLog(this.#files.logPath(handle));
    this.#add(new Background({ ...this.#partsOf(handle), log: this.#logOf(handle, before) }));
  }

  #partsOf(handle: Handle): Omit<ConstructorParameters<typeof Background>[0], "log"> {
    const { now, log } = this.#options;
    return {
      handle,
      now,
      onEnd: (process) => {
        const fields = { event: "process-end", session: handle.sessionId, pid: handle.pid ?? 0 };
        log(`background process ${handle.id} has ended: ${endWords(process)}`, fields);
      },
    };
  }

  #logOf(handle: Handle, before?: string): RollingLog {
    return new RollingLog({ path: this.#files.logPath(handle), clean: this.#options.clean }, before);
  }
}

function tooMany(running: readonly Background[]): string {
  const list = running.map((process) => named(process)).join(", ");
  return `The command was not started: ${running.length} background processes of this session run already, and more are not allowed (${list}). End one with process kill first.`;
}

const nextId = (known: readonly Background[]): string =>
  `p${Math.max(0, ...known.map(({ handle }) => Number(handle.id.slice(1)))) + 1}`;

function readLog(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
