import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SecretReference } from "./reference.ts";
import { keepSecret, readSecret } from "./secrets.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "evander-secrets-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const get = (reference: SecretReference, env: Record<string, string> = {}): Promise<string> =>
  readSecret(reference, { env, folders: [folder] });

test("[X8] a secret comes from a variable, a file, a program or the user's own file, without its line end", async () => {
  expect(await get({ env: "K" }, { K: "a" })).toBe("a");
  writeFileSync(join(folder, "key"), "b\n");
  expect(await get({ file: join(folder, "key") })).toBe("b");
  expect(await get({ cmd: [process.execPath, "-e", "console.log('c')"] })).toBe("c");
  keepSecret(folder, "mine", "d");
  keepSecret(folder, "other", "e");
  expect(await get({ secret: "mine" })).toBe("d");
  expect(statSync(join(folder, "secrets.json")).mode & 0o777).toBe(0o600);
  keepSecret(folder, "mine", undefined);
  expect(JSON.parse(readFileSync(join(folder, "secrets.json"), "utf8"))).toEqual({ other: "e" });
});

test("[X1] a secret that cannot be had is said in one sentence that holds nothing of any secret", async () => {
  await expect(get({ env: "K" })).rejects.toThrow("The variable K is not set.");
  await expect(get({ env: "K" }, { K: " " })).rejects.toThrow("The variable K is empty.");
  await expect(get({ file: join(folder, "key") })).rejects.toThrow("key does not exist.");
  await expect(get({ secret: "mine" })).rejects.toThrow("evander auth login mine keeps one");
  await expect(get({ cmd: [join(folder, "nothing")] })).rejects.toThrow("failed (ENOENT).");
  const telling = "console.error('hunter2'); console.log('hunter2'); process.exit(3)";
  const failure = await get({ cmd: [process.execPath, "-e", telling] }).catch((error: unknown) => String(error));
  expect(failure).toContain("failed (3).");
  expect(failure).not.toContain("hunter2");
  keepSecret(folder, "mine", "hunter2");
  chmodSync(join(folder, "secrets.json"), 0o640);
  await expect(get({ secret: "mine" })).rejects.toThrow(/can be read by others, so it is not used: chmod 600 /u);
  writeFileSync(join(folder, "secrets.json"), "{hunter2", { mode: 0o600 });
  chmodSync(join(folder, "secrets.json"), 0o600);
  const broken = await get({ secret: "mine" }).catch((error: unknown) => String(error));
  expect(broken).toContain("is no JSON object of secrets by name.");
  expect(broken).not.toContain("hunter2");
  rmSync(join(folder, "secrets.json"));
  mkdirSync(join(folder, "secrets.json"), { mode: 0o700 });
  await expect(get({ secret: "mine" })).rejects.toThrow(/secrets\.json is no file\./u);
  rmSync(join(folder, "secrets.json"), { recursive: true });
});
