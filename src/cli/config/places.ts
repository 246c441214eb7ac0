import { existsSync } from "node:fs";
import { join } from "node:path";
import { profileFolders, rootFolders } from "../../config/folders.ts";
import { addProfile, profileNames, refuseName } from "../../config/profiles.ts";
import { printable } from "../../session/plain-text.ts";
import type { Asked } from "../context.ts";
import { say } from "../io.ts";
import { RefusalError } from "../refusal.ts";
import type { Changing } from "./commands.ts";
import { lookHere } from "./look.ts";

/** `evander where`: every folder and file, and whether it is there. */
export async function printPlaces({ io, json }: Asked): Promise<void> {
  const { folders, files, profile, store } = await lookHere(io);
  const roots = rootFolders(io);
  const places = [
    ...Object.entries(folders),
    ["store", join(store, "evander.db")],
    ["secrets", join(folders.config, "secrets.json")],
    ["trusted", join(roots.data, "trusted.json")],
    ["compiled", join(roots.cache, "compiled")],
    ...files.map(({ layer, path }) => [`${layer} config`, path]),
  ].map(([name = "", path = ""]) => ({ name, path, exists: existsSync(path) }));
  if (json) return say(io.stdout, JSON.stringify({ profile: profile ?? null, places }));
  for (const { name, path, exists } of places)
    say(io.stdout, printable(`${name.padEnd(14)} ${path}${exists ? "" : "  (not there yet)"}`));
}

export function listProfiles({ io, json }: Asked): void {
  const names = profileNames(rootFolders(io));
  if (json) return say(io.stdout, JSON.stringify(names));
  if (names.length === 0) return say(io.stderr, "There is no profile: evander profile add NAME begins one.");
  for (const name of names) say(io.stdout, name);
}

/** `evander profile add`: its folder is what makes it one. */
export function beginProfile(name: string, { io, json, dryRun = false }: Asked & Pick<Changing, "dryRun">): void {
  const refused = refuseName(name);
  if (refused !== undefined) throw new RefusalError({ reason: "usage_error", message: refused, next: [] });
  const { config } = profileFolders(rootFolders(io), name, io.platform);
  if (!dryRun) addProfile(io, name);
  if (json) return say(io.stdout, JSON.stringify({ profile: name, config, dryRun }));
  say(io.stdout, printable(dryRun ? `${config} would be made` : `${name} is a profile now: ${config}`));
}
