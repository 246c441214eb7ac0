import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Adapters } from "./cli/adapters.ts";
import type { Io } from "./cli/io.ts";
import { rootFolders } from "./config/folders.ts";
import { isTrusted } from "./config/trust.ts";
import type { Root } from "./context/skills/read-skill.ts";
import type { SkillShelf } from "./protocol/skill.ts";
import { openShelf, type SkillPlaces } from "./context/skills/shelf.ts";

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
    const { locked } = await import("./credentials/lock.ts");
    return locked(join(data, "skills.lock"), work);
  };

export async function usableSkills(shelf: SkillShelf): Promise<string[]> {
  const { skills } = await shelf.list();
  return skills.flatMap(({ name, unavailable }) => (unavailable === undefined ? [name] : []));
}
