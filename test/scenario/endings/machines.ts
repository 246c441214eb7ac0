import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EndlessProvider } from "../../support/endless-provider.ts";
import { delta, DONE, PAUSE, say, stream } from "../../support/wire-script.ts";
import type { Place, ProgramOptions } from "../program.ts";
import type { Machine } from "./row.ts";

/** A machine as the program finds it. */
export interface Found {
  readonly args?: readonly string[];
  readonly options?: ProgramOptions;
  /** Ends what was set up. */
  readonly leave?: () => Promise<void>;
}

const FIRST = ["-p", "hello"];

export async function findMachine(machine: Machine, place: Place): Promise<Found> {
  switch (machine) {
    case "calm":
      return {};
    case "full":
      return full(place);
    case "read-only":
      mkdirSync(place.home);
      chmodSync(place.home, 0o555);
      // No mode keeps root out; the kernel's own file system does.
      return process.getuid?.() === 0 ? { options: { home: "/sys/evander" } } : {};
    case "damaged":
      place.damaged = true;
      mkdirSync(place.home);
      writeFileSync(join(place.home, "evander.db"), "not a database ".repeat(2_000));
      return {};
    case "busy":
      return busy(place);
  }
}

/** A session is there, and no file may grow much beyond it. */
async function full(place: Place): Promise<Found> {
  const provider = new EndlessProvider(() => say("hello"));
  await provider.server.listen();
  await place.run(provider.server.baseUrl, FIRST);
  await provider.close();
  // A block has 512 or 1,024 bytes, by shell.
  const blocks = Math.ceil(statSync(join(place.home, "evander.db")).size / 512) + 100;
  return { options: { under: ["sh", "-c", `ulimit -f ${blocks}; exec "$@"`, "sh"] } };
}

/** Another process is in the middle of a turn of the last session. */
async function busy(place: Place): Promise<Found> {
  const provider = new EndlessProvider(() => stream([PAUSE, delta({ content: "hello" }, "stop"), DONE]));
  await provider.server.listen();
  const other = place.start(provider.server.baseUrl, FIRST);
  await provider.server.paused();
  const leave = async (): Promise<void> => {
    provider.server.release();
    await other.ended;
    await provider.close();
  };
  return { args: ["--resume", "last"], options: {}, leave };
}
