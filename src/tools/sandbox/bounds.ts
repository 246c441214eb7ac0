import { dirname, join, sep } from "node:path";
import type { Needs } from "../../protocol/sandbox.ts";

/** What a sandbox is drawn around. All paths are absolute. */
export interface Surroundings {
  /** The working folder. */
  readonly cwd: string;
  readonly home: string;
  /** A folder for temporary files that nobody else writes in. */
  readonly temporary: string;
  /** Folders and files of this program itself: neither seen nor written, wherever they lie. */
  readonly guarded: readonly string[];
  /** The system's folders for temporary files and for sockets: others' files lie there. */
  readonly shared: readonly string[];
  /** Where programs are looked for. */
  readonly searchPath: readonly string[];
  /** What its owner adds: folders that may be written, files and folders of the home that may be seen. */
  readonly writes: readonly string[];
  readonly reads: readonly string[];
}

/** What one program may do with files; what is hidden is hidden but for what is shown, and what is closed is never written. */
export interface Bounds {
  readonly hidden: readonly string[];
  readonly shown: readonly string[];
  readonly writable: readonly string[];
  readonly closed: readonly string[];
}

/**
 * Names in a folder that make other programs run something, or tell agents what to do: read-only, and where there is none
 * none comes to be (security §3.3).
 */
const STEERING: readonly string[] = [
  ".git/hooks",
  ".git/config",
  ".git/config.worktree",
  ".git/info/attributes",
  ".gitmodules",
  ".evander",
  ".mcp.json",
  ".envrc",
  ".vscode",
  ".idea",
  ".claude",
  ".cursor",
  ".bashrc",
  ".bash_profile",
  ".profile",
  ".zshrc",
  ".zprofile",
  ".zshenv",
  ".gitconfig",
  ".npmrc",
  ".ripgreprc",
];

/** Of the home, whoever is asked about nothing else: where the settings of git lie, but for its passwords. */
const OF_GIT: readonly string[] = [".gitconfig", ".config/git/config", ".config/git/ignore"];

/** Folders of a home that hold much besides programs: only the folder of the programs is shown. */
const BROAD = /^(?:\.local|\.config|\.cache|Library)$/u;

/** `mayWrite`: the mode lets the working folder be written. */
export function boundsOf(around: Surroundings, mayWrite: boolean, needs: Needs = {}): Bounds {
  const { cwd, temporary, guarded, shared } = around;
  const writable = [
    temporary,
    ...(mayWrite && needs.readOnly !== true ? [cwd, ...around.writes] : []),
    ...(needs.writes ?? []),
  ];
  const sockets = (needs.sockets ?? []).map((path) => dirname(path));
  return {
    hidden: [around.home, ...shared, ...guarded],
    shown: [
      cwd,
      ...around.reads,
      ...(needs.reads ?? []),
      ...programFolders(around),
      ...ofGit(around),
      ...writable,
      ...sockets,
    ],
    writable,
    closed: writable
      .filter((folder) => folder !== temporary)
      .flatMap((folder) => STEERING.map((name) => join(folder, name))),
  };
}

const ofGit = ({ home }: Surroundings): readonly string[] => OF_GIT.map((name) => join(home, name));

/** Where programs of the home lie, with what they were installed with. */
function programFolders({ home, searchPath }: Surroundings): readonly string[] {
  return searchPath
    .filter((folder) => folder.startsWith(home + sep))
    .map((folder) => {
      const around = dirname(folder);
      return around === home || BROAD.test(around.slice(home.length + 1)) ? folder : around;
    });
}
