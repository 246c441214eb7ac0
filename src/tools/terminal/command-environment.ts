import { delimiter, isAbsolute } from "node:path";
import { childEnvironment } from "../../protocol/child-environment.ts";
import { isInside } from "../paths.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

/** Never a terminal, never a prompt, no lock taken for a mere look. */
const FIXED: Readonly<Record<string, string>> = {
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
};

/** What git may not do where nobody was asked: run a helper, or look into a repository inside the repository. */
const GIT_SETTINGS: readonly (readonly [name: string, value: string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["diff.ignoreSubmodules", "all"],
  ["submodule.recurse", "false"],
  ["safe.bareRepository", "explicit"],
];

const gitHardening = (): Record<string, string> =>
  Object.fromEntries([
    ["GIT_CONFIG_COUNT", String(GIT_SETTINGS.length)],
    ...GIT_SETTINGS.flatMap(([name, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, name],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ]);

interface Commands {
  readonly cwd: string;
  /** Somebody was asked about the command: git gets narrower settings for any other. */
  readonly asked: boolean;
  /** Variables that the owner passes on by name. */
  readonly pass?: readonly string[] | undefined;
}

/**
 * What a command gets to see. Folders inside the working folder are left out of PATH, and so are relative ones: a file
 * there must not take the place of a program that is known to only read.
 */
export function commandEnvironment(own: Environment, { cwd, asked, pass }: Commands): Record<string, string> {
  const folders = (own["PATH"] ?? DEFAULT_PATH).split(delimiter);
  const path = folders.filter((folder) => isAbsolute(folder) && !isInside(cwd, folder)).join(delimiter);
  return {
    ...childEnvironment(own, pass),
    ...FIXED,
    ...(asked ? {} : gitHardening()),
    PATH: path === "" ? DEFAULT_PATH : path,
  };
}
