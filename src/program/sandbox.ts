import type { HandsOptions } from "../cli/adapters.ts";
import type { Io } from "../cli/io.ts";
import type { Sandbox, SandboxState } from "../protocol/sandbox.ts";

/** What stands around commands, as it really is here. */
export async function checkSandbox(settings: HandsOptions["settings"], io: Io): Promise<SandboxState> {
  const sandbox = sandboxFor({ settings, cwd: io.cwd, guarded: [] }, io);
  const state = await sandbox.state();
  await sandbox.close();
  return state;
}

/** What stands around all that tools start here, looked for when the first program is to run. */
export function sandboxFor(
  { settings, cwd, guarded }: Pick<HandsOptions, "settings" | "cwd" | "guarded">,
  { home, env }: Pick<Io, "home" | "env">,
): Sandbox {
  const { mode = "auto", hosts = [], write = [], read = [] } = settings.sandbox;
  const writes = [...write, ...(settings.writeFolders ?? [])];
  const reads = [...read, ...(settings.readFolders ?? [])];
  let opened: Promise<Sandbox> | undefined;
  const open = async (): Promise<Sandbox> =>
    (await import("../tools/sandbox/open-sandbox.ts")).openSandbox({
      mode,
      hosts,
      env,
      cwd,
      home,
      guarded,
      writes,
      reads,
    });
  const sandbox = (): Promise<Sandbox> => (opened ??= open());
  return {
    state: async () => (await sandbox()).state(),
    confine: async (start, needs) => (await sandbox()).confine(start, needs),
    // What nobody has opened is not opened to be closed; whoever asks behind that opens it anew.
    close: async () => {
      const was = opened;
      opened = undefined;
      await (await was)?.close();
    },
  };
}
