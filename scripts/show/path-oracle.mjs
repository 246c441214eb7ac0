import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import { pathRounds } from "../../test/properties/path-trees.ts";

export const about = "5,000 random folders with links: what the file tools open against openat2 of Linux (about 4 min)";

/** The kernel's own word: openat2 that may not leave the folder, for writing without any link. */
const ORACLE = `
import ctypes, json, os, stat, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
OPENAT2, CLOEXEC, PATH, DIRECTORY = 437, 0o2000000, 0o10000000, 0o200000
BENEATH, NO_MAGIC, NO_LINKS = 0x08, 0x02, 0x04
def openat2(folder, path, resolve):
    how = struct.pack("QQQ", PATH | CLOEXEC, 0, resolve | NO_MAGIC)
    fd = libc.syscall(OPENAT2, folder, path, how, len(how))
    return fd, ctypes.get_errno()
def inside(folder, path):
    if not path.startswith("/"): return path
    return path[len(folder):].lstrip("/") or "." if path.startswith(folder + "/") else None
def stats(fd):
    try: return os.fstat(fd)
    finally: os.close(fd)
def readable(folder, root, path):
    fd, error = openat2(root, path.encode(), BENEATH)
    if fd >= 0: return stat.S_ISREG(stats(fd).st_mode)
    # Beneath knows no absolute link, also not one that stays inside: then where it ends decides.
    real = os.path.realpath(os.path.join(folder, path))
    return error == 18 and real.startswith(folder + "/") and os.path.isfile(real)
def writable(root, path):
    fd, error = openat2(root, path.encode(), BENEATH | NO_LINKS)
    if fd >= 0:
        found = stats(fd)
        return stat.S_ISREG(found.st_mode) and found.st_nlink == 1
    # What is not there is made, with its folders: no part that is there may be a link.
    if error != 2 or path == "" or path.endswith("/"): return False
    parts = path.split("/")
    for count in range(len(parts) - 1, -1, -1):
        fd, error = openat2(root, ("/".join(parts[:count]) or ".").encode(), BENEATH | NO_LINKS)
        if fd >= 0: return stat.S_ISDIR(stats(fd).st_mode) and ".." not in parts[count:]
        if error != 2: return False
    return False
for line in sys.stdin:
    folder, path, mode = json.loads(line)
    root = os.open(folder, PATH | DIRECTORY)
    rest = inside(folder, path)
    answer = False
    if rest is not None: answer = readable(folder, root, rest) if mode == "read" else writable(root, rest)
    os.close(root)
    print(json.dumps(bool(answer)), flush=True)
`;

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  if (existsSync("/dev/shm")) process.env["TMPDIR"] = "/dev/shm";
  const python = spawn("python3", ["-c", ORACLE], { stdio: ["pipe", "pipe", "inherit"] });
  const answers = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
  const { tried, read, written, escapes, refusals } = await pathRounds(5_000, 19, async (folder, path, mode) => {
    python.stdin.write(`${JSON.stringify([folder, path, mode])}\n`);
    const { value, done } = await answers.next();
    if (done === true) throw new Error(`The oracle ended (is python3 there?), in ${tmpdir()}.`);
    return JSON.parse(value);
  });
  python.stdin.end();
  for (const story of [...escapes, ...refusals].slice(0, 10)) console.error(story.slice(0, 300));
  return [
    {
      figure: `paths let through that the kernel says leave the folder, in ${tried} (${read} read, ${written} written)`,
      value: String(escapes.length),
      goal: "0",
      pass: escapes.length === 0 && tried >= 50_000,
    },
    {
      figure: "paths refused that the kernel opens within the folder",
      value: String(refusals.length),
      goal: "0",
      pass: refusals.length === 0,
    },
  ];
}
