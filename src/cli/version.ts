import type { Adapters } from "./adapters.ts";
import { type Io, say } from "./io.ts";

export function printVersion(adapters: Adapters, io: Io, json: boolean): void {
  const version = adapters.version();
  say(io.stdout, json ? JSON.stringify({ name: "evander", version, node: process.version }) : `evander ${version}`);
}
