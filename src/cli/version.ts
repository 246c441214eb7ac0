import { type Io, say, sayJson } from "./io.ts";

/** Answered before the program is loaded, which takes as long as Node does to start: shells and scripts ask it often. */
export const asksForVersion = (argv: readonly string[]): boolean =>
  argv.length === 1 && ["version", "--version", "-V"].includes(argv[0] ?? "");

export function printVersion(version: string, io: Io, json: boolean): void {
  if (json) sayJson(io, { name: "evander", version, node: process.version });
  else say(io.stdout, `evander ${version}`);
}
