import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demoNoFolder } from "../../words/demo.ts";
import { RefusalError } from "../refusal.ts";

/** The whole project: its check fails until somebody corrects a name. */
const FILES: Readonly<Record<string, string>> = {
  "README.md": "# Tea house\n\n## Opening hours\n\nEvery day but Monday.\n\n## The menu\n\nIt is in menu.md.\n",
  "menu.md":
    "# Menu\n\n| tea     | price |\n|---------|-------|\n| Sencha  | 4     |\n| Oolnog  | 5     |\n| Rooibos | 3     |\n",
  "teas.txt": "Oolong\nRooibos\nSencha\ntea\n",
  "check.sh": [
    "# Every name of the menu is in teas.txt.",
    "sleep 0.4",
    "wrong=$(sed -n 's/^| \\([A-Za-z]*\\) .*/\\1/p' menu.md | grep -vxF -f teas.txt)",
    'if [ -n "$wrong" ]; then',
    '  echo "menu.md: no tea is called $wrong"',
    "  exit 1",
    "fi",
    'echo "menu.md: every tea has its name"',
    "",
  ].join("\n"),
};

/** What the tour asks. */
export const PROMPT = 'List the files. Where is "Oolnog"? Replace "Oolnog" with "Oolong" in menu.md and run the check.';

/** What it says while the check runs. */
export const STEER = 'Also: how often does "Oolong" appear?';

/** The tool whose work the steer interrupts. */
export const CHECK_TOOL = "terminal";

/** A copy of the project in a folder of its own, which is gone afterwards. */
export async function withProject<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await makeProject();
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function makeProject(): Promise<string> {
  let folder: string | undefined;
  try {
    folder = await realpath(await mkdtemp(join(tmpdir(), "evander-demo-")));
    for (const [name, text] of Object.entries(FILES)) await writeFile(join(folder, name), text);
    return folder;
  } catch (error) {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    const why = error instanceof Error ? error.message : String(error);
    throw new RefusalError({ reason: "store_unavailable", message: demoNoFolder(tmpdir(), why) });
  }
}
