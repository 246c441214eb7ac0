import type { SkillDrift } from "../../protocol/skill-install.ts";

/** What has changed since an installation, with a sign in front of what is new or gone. */
export const driftFiles = ({ changed, added, missing }: SkillDrift): string[] => [
  ...changed,
  ...added.map((path) => `+${path}`),
  ...missing.map((path) => `-${path}`),
];
