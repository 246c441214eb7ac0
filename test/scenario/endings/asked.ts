import { existsSync } from "node:fs";
import { watch } from "node:fs/promises";
import { join } from "node:path";
import { EndlessProvider } from "../../support/endless-provider.ts";
import { DeafServer, RawServer } from "./raw-server.ts";
import type { Act, Row, Surroundings } from "./row.ts";

/** The server a row is about, listening. */
export interface Asked {
  readonly baseUrl: string;
  /** Model requests so far. */
  readonly count: () => number;
  /** What was illegal in them. */
  readonly faults: () => readonly string[];
  /** Resolves at the moment when a signal is due. */
  readonly moment: (at: Act["at"], work: string) => Promise<void>;
  /** Resolves when so many requests have come. */
  readonly overrun: (count: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

const never = (): Promise<never> => Promise.withResolvers<never>().promise;

export async function openServer({ server }: Row, surroundings: Surroundings): Promise<Asked> {
  if ("http" in server) {
    const provider = new EndlessProvider((request) => server.http(request, surroundings), { heads: "free" });
    await provider.server.listen();
    return {
      baseUrl: provider.server.baseUrl,
      count: () => provider.requests.length,
      faults: () => provider.violations(),
      moment: (at, work) => (at === "tool" ? appears(work, "pid") : provider.server.paused()),
      overrun: (count) => provider.server.received(count).catch(never),
      close: () => provider.close(),
    };
  }
  if ("bytes" in server) {
    const raw = new RawServer((request) => server.bytes(request, surroundings));
    const baseUrl = await raw.listen();
    return {
      baseUrl,
      count: () => raw.requests.length,
      faults: () => raw.faults,
      moment: () => raw.asked,
      overrun: never,
      close: () => raw.close(),
    };
  }
  return "reads" in server ? openDeaf() : NOBODY;
}

/** Not a port that was given back: another test's server may have it by the time it is asked. */
const NOBODY: Asked = {
  baseUrl: "http://127.0.0.1:9/v1",
  count: () => 0,
  faults: () => [],
  moment: never,
  overrun: never,
  close: () => Promise.resolve(),
};

async function openDeaf(): Promise<Asked> {
  const deaf = new DeafServer();
  return {
    baseUrl: await deaf.listen(),
    count: () => 0,
    faults: () => [],
    moment: () => deaf.visited,
    overrun: never,
    close: () => deaf.close(),
  };
}

/** Resolves when the folder holds the file. */
async function appears(folder: string, file: string): Promise<void> {
  const enough = new AbortController();
  const changes = watch(folder, { signal: enough.signal });
  const first = changes.next();
  try {
    if (existsSync(join(folder, file))) return;
    for (let change = await first; change.done !== true; change = await changes.next())
      if (existsSync(join(folder, file))) return;
  } finally {
    enough.abort();
    await first.catch(() => {});
  }
}
