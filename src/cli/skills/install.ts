import { exitCode } from "../../protocol/exit.ts";
import type { InstallAnswer } from "../../protocol/skill-install.ts";
import { printable } from "../../session/plain-text.ts";
import { installed, installRefusal, keptOld, sameSkill, SKILL_SAYS, wouldInstall } from "../../words/skills.ts";
import type { Adapters } from "../adapters.ts";
import { confirm } from "../confirm.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { usageRefusal } from "../refusal.ts";
import type { SkillFlags } from "./commands.ts";
import { needsConsent, parcelLines } from "./parcel-lines.ts";
import { skillsHere } from "./room.ts";

type Install = Asked & SkillFlags;

type Ready = Extract<InstallAnswer, { readonly type: "ready" }>;

/** `evander skill install`: nothing is written before a yes to what was shown. Returns the exit code. */
export async function installSkill(source: string, adapters: Adapters, asked: Install): Promise<number> {
  const { io, json, language } = asked;
  const { desk } = await skillsHere(adapters, io);
  const answer = await desk.prepare(source);
  switch (answer.type) {
    case "refused":
      throw usageRefusal(installRefusal(answer), { code: answer.why.replaceAll("-", "_") });
    case "same": {
      const { manifest } = answer;
      if (json) sayJson(io, { installed: false, same: true, manifest });
      else say(io.stdout, printable(sameSkill(manifest.id, manifest.version)[language]));
      return 0;
    }
    case "ready":
      return installReady(answer, asked);
  }
}

async function installReady(ready: Ready, asked: Install): Promise<number> {
  const { io, json, language, dryRun = false, verbose = false } = asked;
  const { parcel } = ready;
  if (!json) for (const line of parcelLines(parcel, { language, whole: verbose })) say(io.stderr, line);
  if (dryRun) {
    if (json) sayJson(io, { installed: false, dryRun: true, ...parcel });
    else say(io.stdout, wouldInstall(parcel.manifest.id)[language]);
    return 0;
  }
  if (!(await agreed(ready, asked))) {
    say(io.stderr, SKILL_SAYS.nothingInstalled[language]);
    return exitCode("interrupted_by_user", {});
  }
  const { folder, archived } = await ready.install();
  if (json) sayJson(io, { installed: true, dryRun: false, folder, archived: archived ?? null, ...parcel });
  else {
    say(io.stdout, printable(installed(parcel.manifest.id, folder)[language]));
    if (archived !== undefined) say(io.stdout, printable(keptOld(archived)[language]));
  }
  return 0;
}

/** Unattended, only what was said in advance is a yes, and only to what it covers. */
async function agreed({ parcel }: Ready, { io, language, yes, acceptFindings }: Install): Promise<boolean> {
  if (yes !== true) return confirm(io, SKILL_SAYS.askInstall[language]);
  const isOpen = parcel.findings.some(needsConsent);
  if (isOpen && acceptFindings !== true) throw usageRefusal(SKILL_SAYS.acceptFindings, { code: "findings" });
  return true;
}
