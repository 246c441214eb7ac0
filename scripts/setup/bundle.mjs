import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runStep } from "./child.mjs";
import { SetupTrouble } from "./trouble.mjs";

/** What the bundle depends on besides the sources. */
const INPUTS = ["package.json", "package-lock.json", "tsconfig.json", "rolldown.config.mjs"];

/**
 * Files below a folder in a stable order, as paths relative to the root with forward slashes.
 * @param {string} root
 * @param {string} folder
 * @returns {string[]}
 */
export function listFiles(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? listFiles(root, path) : [path];
    })
    .sort();
}

/**
 * A hash over names and contents: times would call every fresh checkout stale.
 * @param {string} root
 * @param {string[]} files
 * @returns {string}
 */
export function fingerprintOf(root, files) {
  const hash = createHash("sha256");
  for (const file of files) {
    const content = readFileSync(join(root, file));
    hash.update(`${file}\n${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

/**
 * Whether `dist` was built from the sources as they are.
 * @param {string} root
 * @returns {boolean}
 */
export function isBundleCurrent(root) {
  try {
    return readFileSync(stampFile(root), "utf8") === sourceFingerprint(root);
  } catch {
    return false;
  }
}

/**
 * Bundles program and library into `dist`; the caller holds the set-up lock. Files appear whole or not at
 * all, so a program that is starting never reads half of one.
 * @param {string} root
 * @param {string} node
 * @param {(pid: number) => void} onStart
 */
export async function buildBundle(root, node, onStart) {
  const fingerprint = sourceFingerprint(root);
  const draft = join(root, "dist", ".draft");
  await rm(draft, { recursive: true, force: true });
  await rm(stampFile(root), { force: true });
  const rolldown = join(root, "node_modules", "rolldown", "bin", "cli.mjs");
  const args = [rolldown, "-c", "rolldown.config.mjs", "--dir", draft];
  const { exitCode, output } = await runStep(node, args, { cwd: root, onStart });
  if (exitCode !== 0) {
    const findings = output.replace(/^\s+at .*$/gm, "").trim();
    throw new SetupTrouble(`the build failed; fix the cause below and run the command again\n${findings}`);
  }
  await publish(root, draft);
  await writeFile(stampFile(root), fingerprint);
}

/**
 * @param {string} root
 * @param {string} draft
 */
async function publish(root, draft) {
  const dist = join(root, "dist");
  const fresh = listFiles(draft, ".").map((file) => file.slice(2));
  // Entries last: they name the chunks.
  fresh.sort((a, b) => b.split("/").length - a.split("/").length);
  for (const file of fresh) {
    await mkdir(dirname(join(dist, file)), { recursive: true });
    await rename(join(draft, file), join(dist, file));
  }
  await removeOld(dist, fresh);
  await rm(draft, { recursive: true, force: true });
}

/**
 * Chunks are named after what they hold, so each build would leave those of the one before it.
 * @param {string} dist
 * @param {string[]} fresh
 */
async function removeOld(dist, fresh) {
  const old = listFiles(dist, ".").filter((file) => file.endsWith(".js") && !fresh.includes(file.slice(2)));
  for (const file of old) await rm(join(dist, file));
}

/** @param {string} root */
function sourceFingerprint(root) {
  const sources = listFiles(root, "src").filter((file) => !file.endsWith(".test.ts"));
  return fingerprintOf(root, [...sources, ...INPUTS]);
}

/** @param {string} root */
function stampFile(root) {
  return join(root, "dist", ".stamp");
}
