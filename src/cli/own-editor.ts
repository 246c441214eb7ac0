import { spawn } from "node:child_process";
import { once } from "node:events";
import { childEnvironment, OF_DESKTOP } from "../protocol/child-environment.ts";
import { CONFIG_WORDS } from "../words/config-commands.ts";
import type { Io } from "./io.ts";
import { usageRefusal } from "./refusal.ts";

/** What editors are set up by; none of our keys is any business of theirs. */
const OF_EDITORS = "VISUAL EDITOR VIM* NVIM* MYVIMRC EXINIT EMACS* NANO* TERMINFO* VSCODE_* PAGER LESS".split(" ");

/** Opens a file in the editor of whoever sits at this terminal. Throws RefusalError when it does not end well. */
export async function openInEditor(path: string, { cwd, env }: Pick<Io, "cwd" | "env">): Promise<void> {
  const editor = env["VISUAL"] ?? env["EDITOR"] ?? "vi";
  // A shell, because these variables may hold options as well.
  const child = spawn("sh", ["-c", `${editor} "$1"`, "sh", path], {
    stdio: "inherit",
    cwd,
    env: childEnvironment(env, [...OF_DESKTOP, ...OF_EDITORS]),
  });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw usageRefusal(CONFIG_WORDS.editorFailed(JSON.stringify(editor), code));
}
