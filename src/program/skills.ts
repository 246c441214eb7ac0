import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Adapters, Runtime, RuntimeOptions } from "../cli/adapters.ts";
import type { Io } from "../cli/io.ts";
import { REVOKED_FILE, rootFolders } from "../config/folders.ts";
import { isTrusted } from "../config/trust.ts";
import type { Root } from "../context/skills/read-skill.ts";
import type { SkillShelf } from "../protocol/skill.ts";
import { openShelf, type SkillPlaces } from "../context/skills/shelf.ts";

/** Below the folder of a project, the later one holds. */
const IN_PROJECT = [join(".agents", "skills"), join(".evander", "skills")];

/** The shelves of the program: its own skills, those of its user, and of the working folder where that is trusted. */
export const skillsOn =
  (io: Pick<Io, "env" | "home" | "platform">, bundled: string): Adapters["openSkills"] =>
  ({ folders, cwd, off = [] }) => {
    const roots = rootFolders(io);
    const own = folders === undefined ? [] : [...new Set([roots.config, folders.config])];
    const data = folders?.data ?? roots.data;
    return openShelf({
      platform: io.platform,
      env: io.env,
      off,
      now: Date.now,
      roots: [
        { root: "bundled", folder: bundled },
        ...own.map((folder): Root => ({ root: "user", folder: join(folder, "skills") })),
        ...IN_PROJECT.map((below): Root => ({
          root: "project",
          folder: join(cwd, below),
          within: cwd,
          ...(!isTrusted(roots.data, cwd) && { untrusted: true }),
        })),
      ],
      alone: skillsAlone(data),
    });
  };

/** Does its work while no other process changes the skills of a profile. */
export const skillsAlone =
  (data: string): SkillPlaces["alone"] =>
  async (work) => {
    mkdirSync(data, { recursive: true, mode: 0o700 });
    const { locked } = await import("../credentials/lock.ts");
    return locked(join(data, "skills.lock"), work);
  };

export async function usableSkills(shelf: SkillShelf): Promise<string[]> {
  const { skills } = await shelf.list();
  return skills.flatMap(({ name, unavailable }) => (unavailable === undefined ? [name] : []));
}

interface RunSkills {
  readonly shelf: SkillShelf;
  readonly warnings: Runtime["warnings"];
}

/** Those of one run: without what is switched off, or revoked by a list that is looked at now. */
export async function skillsOfRun(
  { cwd, folders, settings }: Pick<RuntimeOptions, "cwd" | "folders" | "settings">,
  io: Pick<Io, "env" | "home" | "platform">,
  bundled: string,
): Promise<RunSkills> {
  const open = skillsOn(io, bundled);
  const off = settings.skillsOff ?? [];
  const list = join(rootFolders(io).config, REVOKED_FILE);
  const shelf = open({ cwd, folders, off });
  if (!existsSync(list)) return { shelf, warnings: [] };
  const { revokedAmong } = await import("../context/skills/install/revoked.ts");
  const { revokedNow, revokedUnread } = await import("../words/skills.ts");
  const { named, unread } = revokedAmong(list, (await shelf.list()).skills);
  const messages = [...named].map(([name, line]) => revokedNow(name, line));
  if (unread !== undefined) messages.push(revokedUnread(unread.path, unread.said));
  return {
    shelf: named.size === 0 ? shelf : open({ cwd, folders, off: [...off, ...named.keys()] }),
    warnings: messages.map((message) => ({ code: "skill_revoked", message })),
  };
}
