import { type Folders, profileFolders, rootFolders } from "../../config/folders.ts";
import { findProfile } from "../../config/profiles.ts";
import type { Io } from "../io.ts";
import { profileRefusal } from "./trouble.ts";

/** The folders of the profile that is asked. Throws RefusalError when there is no such profile. */
export function ownFolders(io: Io): Folders {
  const found = findProfile(io);
  if (found.type === "invalid") throw profileRefusal(found.problem);
  return profileFolders(rootFolders(io), found.profile, io.platform);
}
