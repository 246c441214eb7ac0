import { userInfo } from "node:os";
import { join } from "node:path";
import type { Adapters } from "../cli/adapters.ts";
import type { Io } from "../cli/io.ts";
import { REVOKED_FILE, rootFolders } from "../config/folders.ts";
import { skillDesk } from "../context/skills/install/desk.ts";
import type { SkillDesk } from "../protocol/skill-install.ts";
import { skillsAlone, skillsOn } from "./skills.ts";

type Place = Parameters<Adapters["openSkillDesk"]>[0];

/** Installs into the folder of the profile. */
export async function openSkillDesk({ cwd, folders }: Place, io: Io, bundled: string): Promise<SkillDesk> {
  const shelf = skillsOn(io, bundled)({ cwd, folders });
  return skillDesk({
    cwd: io.cwd,
    home: io.home,
    root: join(folders.config, "skills"),
    revokedList: join(rootFolders(io).config, REVOKED_FILE),
    env: io.env,
    account: userInfo().username,
    names: async () => {
      const { skills } = await shelf.list();
      const named = (isBundled: boolean): string[] =>
        skills.flatMap(({ root, name }) => ((root === "bundled") === isBundled ? [name] : []));
      return { bundled: named(true), others: named(false) };
    },
    now: Date.now,
    alone: skillsAlone(folders.data),
  });
}
