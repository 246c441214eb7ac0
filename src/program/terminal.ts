import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RuntimeOptions } from "../cli/adapters.ts";
import type { TerminalSetting } from "../config/terminal-setting.ts";
import type { BackgroundRow } from "../protocol/background.ts";
import { type ProcessDesk, processDesk } from "../tools/processes/desk.ts";
import { backgroundOf, type BackendChoice, type TerminalSettings } from "../tools/terminal/settings.ts";

/** What the terminal is told of the settings. */
export function terminalSettings({
  terminal: set,
  terminalEnv: pass,
}: Pick<RuntimeOptions["settings"], "terminal" | "terminalEnv">): TerminalSettings {
  const { timeout, background, processes, memory, files, fileSize } = set;
  return {
    ...(pass !== undefined && { pass }),
    ...(timeout !== undefined && { timeoutS: timeout }),
    ...(background !== undefined && { background }),
    backend: backendOf(set),
    limits: {
      ...(processes !== undefined && { processes }),
      ...(memory !== undefined && { memoryMb: memory }),
      ...(files !== undefined && { openFiles: files }),
      ...(fileSize !== undefined && { fileMb: fileSize }),
    },
  };
}

function backendOf({ backend = "local", image, host, folder }: TerminalSetting): BackendChoice {
  switch (backend) {
    case "local":
      return { type: "local" };
    case "docker":
      return { type: "docker", image };
    case "ssh":
      return { type: "ssh", host, folder };
  }
}

/** Beside the sessions; of a run that keeps nothing in a folder that goes with it. */
export const processFolder = (storeFolder: string | undefined): string =>
  storeFolder === undefined ? join(tmpdir(), `evander-processes-${randomUUID()}`) : join(storeFolder, "processes");

/** What runs beside the sessions of a store. */
export const processesOf = async (storeFolder: string): Promise<readonly BackgroundRow[]> =>
  (await import("../tools/processes/rows.ts")).backgroundRows(processFolder(storeFolder));

/** Looks after what the sessions of this run have in the background; `secrets`: what no output of theirs may hold. */
export const openDesk = (
  settings: TerminalSettings,
  { limitsFolder, log = () => undefined }: Partial<Pick<RuntimeOptions, "limitsFolder" | "log">>,
  secrets: () => Promise<readonly string[]>,
): ProcessDesk =>
  processDesk({
    folder: processFolder(limitsFolder),
    most: backgroundOf(settings),
    cleaner: () => cleanerOf(secrets),
    log: (line, fields) => log({ level: "info", line, fields }),
  });

async function cleanerOf(secrets: () => Promise<readonly string[]>): Promise<(text: string) => string> {
  const [{ redact }, { knownTo }, all] = await Promise.all([
    import("../protocol/redact/redact.ts"),
    import("./owner-secrets.ts"),
    secrets(),
  ]);
  const known = knownTo(all);
  return (text) => redact(text, known);
}
