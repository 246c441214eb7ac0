import { join, resolve } from "node:path";
import { projectFolder } from "../../config/config.ts";
import { readText } from "../../config/config-file.ts";
import { rootFolders } from "../../config/folders.ts";
import { distrustFolder, isTrusted, trustedFolders, trustFolder } from "../../config/trust.ts";
import { exitCode } from "../../protocol/exit.ts";
import { printable, spelledOut } from "../../session/plain-text.ts";
import { faultSentence } from "../../words/config.ts";
import { CONFIG_STEPS, CONFIG_WORDS } from "../../words/config-commands.ts";
import type { Language } from "../../words/language.ts";
import { confirm } from "../confirm.ts";
import type { Asked } from "../context.ts";
import { type Io, say, sayJson } from "../io.ts";
import { RefusalError, usageRefusal } from "../refusal.ts";
import type { Changing } from "./commands.ts";

type Change = Asked & Pick<Changing, "dryRun" | "yes">;

/** `evander trust add`: what its config says is shown first, as text. Returns the exit code. */
export async function addTrust(named: string | undefined, asked: Change): Promise<number> {
  const { io, json, language, dryRun = false } = asked;
  const folder = folderOf(named, io);
  const { data } = rootFolders(io);
  if (asked.yes !== true && !dryRun && !isTrusted(data, folder)) {
    for (const line of configLines(folder, language)) say(io.stderr, line);
    const agreed = await confirm(io, printable(CONFIG_WORDS.trustQuestion(folder)[language]));
    if (!agreed) {
      say(io.stderr, CONFIG_WORDS.nothingChanged[language]);
      return exitCode("interrupted_by_user", {});
    }
  }
  if (!dryRun) trust(data, folder);
  if (json) sayJson(io, { folder, trusted: !dryRun, dryRun });
  else say(io.stdout, printable((dryRun ? CONFIG_WORDS.wouldTrust : CONFIG_WORDS.trusted)(folder)[language]));
  return 0;
}

function trust(data: string, folder: string): void {
  try {
    trustFolder(data, folder);
  } catch (error) {
    if (error instanceof TypeError) throw usageRefusal(CONFIG_WORDS.noFolder(folder));
    const message = error instanceof Error ? error.message : String(error);
    throw new RefusalError({ reason: "store_unavailable", message });
  }
}

const SHOWN_LINES = 40;

function configLines(folder: string, language: Language): string[] {
  const path = join(folder, ".evander", "config.yaml");
  const found = readText(path);
  switch (found.type) {
    case "absent":
      return [printable(CONFIG_WORDS.noConfigYet(path)[language])];
    case "unreadable":
      return [printable(faultSentence(found.fault, found.place)[language])];
    case "text": {
      const lines = found.text.trimEnd().split("\n");
      const more =
        lines.length > SHOWN_LINES ? [`  ${CONFIG_WORDS.moreLines(lines.length - SHOWN_LINES)[language]}`] : [];
      return [printable(`${path}:`), ...lines.slice(0, SHOWN_LINES).map((line) => `  ${spelledOut(line)}`), ...more];
    }
  }
}

const folderOf = (named: string | undefined, io: Io): string =>
  named === undefined ? (projectFolder(io.cwd, io.home) ?? io.cwd) : resolve(io.cwd, named);

export function listTrust({ io, json, language }: Asked): void {
  const folders = trustedFolders(rootFolders(io).data);
  if (json) return sayJson(io, folders);
  if (folders.length === 0) return say(io.stderr, CONFIG_WORDS.nobodyTrusted[language]);
  for (const { path, sinceMs } of folders)
    say(io.stdout, printable(`${path}  since ${new Date(sinceMs).toISOString().slice(0, 16).replace("T", " ")}`));
}

export function removeTrust(named: string | undefined, { io, json, language, dryRun = false }: Change): void {
  const folder = folderOf(named, io);
  const { data } = rootFolders(io);
  const known = dryRun ? trustedFolders(data).some(({ path }) => path === folder) : distrustFolder(data, folder);
  if (!known) throw usageRefusal(CONFIG_WORDS.notTrusted(folder), { steps: [CONFIG_STEPS.listTrust] });
  if (json) return sayJson(io, { folder, trusted: false, dryRun });
  say(io.stdout, printable((dryRun ? CONFIG_WORDS.wouldDistrust : CONFIG_WORDS.distrusted)(folder)[language]));
}
