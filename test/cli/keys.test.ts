import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openKeyRing } from "../../src/credentials/key-ring.ts";
import { fakeAuthority } from "../support/fake-authority.ts";
import { ProgramWorld } from "../support/program.ts";

const NOWHERE = "http://127.0.0.1:9/v1";
const [A, B] = ["sk-test-aaaaaaaaaaaa1", "sk-test-bbbbbbbbbbbb2"] as const;

const fileOf = (world: ProgramWorld): string => join(world.folder, "state/state/credentials.json");

interface Shown {
  readonly provider: string;
  readonly id: string;
  readonly label: string;
  readonly fingerprint: string;
  readonly state: string;
  readonly returns: string | null;
  readonly reason: string | null;
}

/** What a turn learns of a key. */
async function useUp(world: ProgramWorld, more: object = {}): Promise<void> {
  const around = { now: Date.now, random: Math.random, here: [], folder: join(world.folder, "state/state") };
  const ring = openKeyRing({ ...around, provider: "mine", baseUrl: NOWHERE });
  const hold = ring?.hold();
  const hints = { retryable: true, shouldCompress: false, shouldRotateCredential: true, shouldFallback: true };
  const failure = { ...hints, reason: "rate_limit", message: "slow down", status: 429, ...more } as const;
  await hold?.rotate({ provider: "mine", model: "m", key: hold.take().fingerprint }, failure);
}

test("[D7] [X8] keys are added unseen, listed by fingerprint, told when they return, and removed; none is ever shown", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  const outputs: string[] = [];
  const run = async (args: readonly string[], stdin = "", env: NodeJS.ProcessEnv = {}) => {
    const ran = await world.run(["auth", ...args], stdin, { env });
    outputs.push(ran.stdout, ran.stderr);
    return ran;
  };
  expect(await run(["status"])).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("auth add") });
  expect(await run(["add", "mine", "--dry-run"], A)).toMatchObject({ code: 0 });
  expect(await run(["add", "mine", "--label", "home"], `${A}\n`)).toMatchObject({ code: 0 });
  const seat = world.sit(["auth", "add", "mine"]);
  await world.shown("Key of mine: ");
  seat.type(`${B}\r`);
  const sat = await seat.ended;
  outputs.push(sat.stdout, sat.stderr);
  expect(statSync(fileOf(world)).mode & 0o777).toBe(0o600);
  const listed = JSON.parse((await run(["list", "--json"])).stdout) as Shown[];
  expect(listed.map(({ provider, label, state }) => [provider, label, state])).toEqual([
    ["mine", "home", "ok"],
    ["mine", "mine-2", "ok"],
  ]);
  await useUp(world, { retryAfterMs: 7_200_000 });
  const status = JSON.parse((await run(["status", "--output", "json"])).stdout) as Shown[];
  expect(status[0]).toMatchObject({ label: "home", state: "exhausted", reason: "rate_limit" });
  expect(Date.parse(status[0]?.returns ?? "") - Date.now()).toBeGreaterThan(7_100_000);
  expect((await run(["status"])).stdout).toMatch(
    /^mine {2}home {2}#\w{8} {2}used up \(rate_limit\); returns in (?:1 h 59 min|2 h)/u,
  );
  expect((await run(["status", "--lang", "zh"])).stdout).toContain("后恢复");
  expect(await run(["remove", "mine"])).toMatchObject({ code: 2, stderr: expect.stringContaining("several keys") });
  expect(await run(["remove", "mine", "home", "--dry-run"])).toMatchObject({ code: 0 });
  expect(await run(["remove", "mine", "home"])).toMatchObject({ code: 0 });
  expect(await run(["remove", "mine", "home"])).toMatchObject({ code: 2 });
  expect(await run(["remove", "mine"])).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(fileOf(world), "utf8"))).toEqual({ version: 1, providers: {} });
  for (const text of outputs) for (const key of [A, B]) expect(text).not.toContain(key);
});

test("[D7] a grant is given as the authority's answer; what is no key, no address and no number is refused in a sentence", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  const grant = { access_token: A, refresh_token: "refresh-1", expires_in: 3_600 };
  const to = ["auth", "add", "mine", "--token-url", "https://authority.test/token"];
  const granted = await world.run([...to, "--client-id", "me", "--json"], JSON.stringify(grant));
  expect(JSON.parse(granted.stdout)).toMatchObject({ type: "oauth", refreshable: true, state: "ok" });
  const refused: (readonly [readonly string[], string])[] = [
    [to, JSON.stringify(grant)],
    [[...to, "--client-id", "me"], A],
    [["auth", "add", "mine", "--token-url", "http://authority.test/", "--client-id", "me"], JSON.stringify(grant)],
    [["auth", "add", "mine"], "two words"],
    [["auth", "add", "no name"], A],
    [["auth", "add", "custom"], A],
    [["auth", "add", "mine", "--base-url", "ftp://x"], A],
    [["auth", "add", "mine", "--priority", "first"], A],
  ];
  for (const [args, stdin] of refused) {
    const { code, stderr } = await world.run(args, stdin);
    expect(code, args.join(" ")).toBe(2);
    expect(stderr).toMatch(/\.\n/u);
    expect(stderr).not.toContain(A);
  }
});

test("[J3] [X8] a key on the command line is refused and not said again, nor offered as a prompt; a label is one line", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  for (const verb of ["add", "login"]) {
    const { code, stdout, stderr } = await world.run(["auth", verb, "mine", A]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("comes on stdin");
    expect(stderr).not.toContain(A);
  }
  await world.run(["auth", "add", "mine", "--label", "at\nhome\n"], A);
  expect((await world.run(["auth", "status"])).stdout).toMatch(/^mine {2}at home {2}#\w{8} {2}ok\n$/u);
});

test("[D7] a file of keys that others can read, or that is none, is told and left as it is", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  await world.run(["auth", "add", "mine"], A);
  const text = `${readFileSync(fileOf(world), "utf8")} and more`;
  writeFileSync(fileOf(world), text);
  for (const args of [["list"], ["status"], ["add", "mine"], ["remove", "mine"]]) {
    const { code, stderr } = await world.run(["auth", ...args], B);
    expect([args[0], code]).toEqual([args[0], 78]);
    expect(stderr).toContain("credentials.json is no JSON object of keys");
    expect(stderr).toMatch(/next: .*: mv \S+credentials\.json \S+credentials\.json\.aside\n/u);
  }
  expect(readFileSync(fileOf(world), "utf8")).toBe(text);
});

test("[D7] [X8] a person agrees on another device, and the key that is granted is kept; who says no is told", async () => {
  await using authority = await fakeAuthority();
  await using world = await ProgramWorld.onServer(NOWHERE);
  const { origin } = authority;
  const at = ["--device-url", `${origin}/device`, "--token-url", `${origin}/token`, "--client-id", "evander-test"];
  authority.decide("granted", 3);
  const agreed = await world.run(["auth", "login", "mine", "--device", ...at, "--json"]);
  expect(agreed).toMatchObject({ code: 0, stderr: expect.stringContaining("type WDJB-MJHT") });
  expect(JSON.parse(agreed.stdout)).toMatchObject({ provider: "mine", type: "oauth", refreshable: true });
  expect(agreed.stdout).not.toContain(authority.newest);
  authority.decide("access_denied", 1);
  const denied = await world.run(["auth", "login", "mine", "--device", ...at]);
  expect(denied).toMatchObject({ code: 2, stderr: expect.stringContaining("No key was granted: access_denied.") });
  const nobody = await world.run(["auth", "login", "mine", "--device"]);
  expect(nobody).toMatchObject({ code: 2, stderr: expect.stringContaining("no authority is built in") });
  const closed = ["--device-url", "http://127.0.0.1:9/device", ...at.slice(2)];
  const silent = await world.run(["auth", "login", "mine", "--device", ...closed, "--lang", "zh"]);
  expect(silent).toMatchObject({ code: 2, stderr: expect.stringContaining("没有像设备授权服务器那样回答") });
});
