import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SkillOrigin } from "../../../protocol/skill-install.ts";
import { childEnvironment } from "../../../protocol/child-environment.ts";
import { type Entry, entriesTrouble, isHidden } from "./entries.ts";
import { type FilesRead, saidBy, type SkillFile } from "./read-folder.ts";
import { MAX_UNPACKED } from "./tar.ts";

/** For all that is asked of a server, ms. */
const PATIENCE_MS = 120_000;

type GitOrigin = Extract<SkillOrigin, { readonly type: "git" }>;

/**
 * The files of a commit, fetched by the `git` of whoever runs the program into a folder that nothing outlives. Nothing is
 * checked out: no hook, no filter and no path of the repository means anything; what is read is what the commit's hash
 * stands for.
 */
export async function readGit(origin: GitOrigin, env: NodeJS.ProcessEnv): Promise<FilesRead> {
  const folder = await mkdtemp(join(tmpdir(), "evander-skill-"));
  const git = (args: readonly string[], input?: string): Promise<Buffer> =>
    runGit(["-C", folder, ...SAFE, ...args], gitEnvironment(env, origin), input);
  try {
    await git(["init", "--quiet", "--bare", "."]);
    await fetchCommit(git, origin);
    const there = entriesOf(await git(["ls-tree", "-r", "-z", "-l", "--full-tree", treeOf(origin)]));
    const trouble = entriesTrouble(there);
    const listed = there.filter(({ path }) => !isHidden(path));
    if (trouble !== undefined) return { type: "refused", ...trouble };
    const blobs = await git(["cat-file", "--batch"], listed.map(({ hash }) => `${hash}\n`).join(""));
    return { type: "files", files: filesOf(listed, blobs) };
  } catch (error) {
    const said = error instanceof GitError ? error.message : saidBy(error);
    return { type: "refused", why: "git", path: origin.address, said };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Git = (args: readonly string[], input?: string) => Promise<Buffer>;

const SAFE = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["fetch.fsckObjects", "true"],
  ["fetch.recurseSubmodules", "false"],
  ["protocol.allow", "never"],
  ["protocol.https.allow", "always"],
  ["protocol.http.allow", "always"],
  ["protocol.file.allow", "always"],
  ["protocol.ssh.allow", "always"],
].flatMap(([key, value]) => ["-c", `${key}=${value}`]);

/** How a server is reached, and what vouches for it. */
const ON_THE_WAY: readonly string[] =
  "http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY GIT_SSL_* SSL_CERT_FILE SSL_CERT_DIR".split(
    " ",
  );

/** Nobody is asked for a password, and no variable of a repository that is worked in means another one. */
export function gitEnvironment(env: NodeJS.ProcessEnv, { address }: Pick<GitOrigin, "address">): NodeJS.ProcessEnv {
  const pass = /^(?:file|https?):/iu.test(address) ? ON_THE_WAY : [...ON_THE_WAY, "SSH_AUTH_SOCK"];
  return { ...childEnvironment(env, pass), GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "", SSH_ASKPASS: "", LC_ALL: "C" };
}

/** Most servers give a commit by its hash; from the others all branches and tags are fetched. */
async function fetchCommit(git: Git, { address, commit }: GitOrigin): Promise<void> {
  const fetch = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];
  try {
    await git([...fetch, "--depth=1", "--", address, commit]);
  } catch (error) {
    if (!(error instanceof GitError) || !/not our ref|unadvertised object/iu.test(error.message)) throw error;
    await git([...fetch, "--", address, "+refs/heads/*:refs/fetched/*", "+refs/tags/*:refs/fetched-tags/*"]);
  }
  await git(["cat-file", "-e", `${commit}^{commit}`]);
}

const treeOf = ({ commit, folder }: GitOrigin): string => (folder === undefined ? commit : `${commit}:${folder}`);

interface Listed extends Entry {
  readonly hash: string;
  readonly executable: boolean;
}

/** `MODE TYPE HASH SIZE<tab>PATH<nul>`, as `ls-tree` writes it. */
function entriesOf(listing: Buffer): Listed[] {
  const rows = listing.toString("utf8").split("\0");
  return rows.flatMap((row): Listed[] => {
    const [, mode = "", hash = "", size = "0", path = ""] = /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t(.*)$/su.exec(row) ?? [];
    if (mode === "") return [];
    const kind = mode === "100644" || mode === "100755" ? "file" : "other";
    return [{ path, kind, bytes: Number(size) || 0, hash, executable: mode === "100755" }];
  });
}

/** `HASH blob SIZE<newline>CONTENT<newline>`, one behind the other in the order that was asked. */
function filesOf(listed: readonly Listed[], blobs: Buffer): SkillFile[] {
  let at = 0;
  return listed.map(({ path, bytes, hash, executable }) => {
    const header = `${hash} blob ${bytes}\n`;
    if (blobs.subarray(at, at + header.length).toString("latin1") !== header)
      throw new GitError("it does not answer as git does");
    const begin = at + header.length;
    at = begin + bytes + 1;
    return { path, content: blobs.subarray(begin, begin + bytes), executable };
  });
}

/** What git said, in one line. */
class GitError extends Error {
  override readonly name = "GitError";
}

function runGit(args: readonly string[], env: NodeJS.ProcessEnv, input = ""): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const git = spawn("git", args, { env, stdio: ["pipe", "pipe", "pipe"], timeout: PATIENCE_MS });
  const out: Buffer[] = [];
  let [bytes, said] = [0, ""];
  git.stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_UNPACKED) git.kill("SIGKILL");
    else out.push(chunk);
  });
  git.stderr.on("data", (chunk: Buffer) => (said = (said + chunk.toString("utf8")).slice(-MAX_SAID)));
  git.stdin.on("error", () => undefined);
  git.stdin.end(input);
  git.on("error", (error) => reject(error));
  git.on("close", (code, signal) => {
    if (code === 0) return resolve(Buffer.concat(out));
    return reject(new GitError(causeIn(said) || `it ended with ${signal ?? code}`));
  });
  return promise;
}

/** Behind the cause git gives advice, in lines of its own. */
function causeIn(said: string): string {
  const lines = said.trim().split("\n");
  return lines.find((line) => /^(?:fatal|error): /u.test(line)) ?? lines.at(-1) ?? "";
}

/** Characters of what git says that are kept. */
const MAX_SAID = 4_096;
