import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fakeProvider, type Script } from "../support/fake-provider.ts";
import { fakeAuthority } from "../support/fake-authority.ts";
import { refuse, say } from "../support/wire-script.ts";
import { atMost } from "./at-most.ts";
import { Place, resultOf } from "./program.ts";

const [A, B] = ["sk-test-aaaaaaaaaaaa1", "sk-test-bbbbbbbbbbbb2"] as const;
const env = { MINE: A };
const denied = refuse(401, { error: { message: `Incorrect API key provided: ${A}`, code: "invalid_api_key" } });
const usedUp = refuse(429, { error: { message: "The usage limit has been reached", type: "usage_limit_reached" } });

function placeFor(baseUrl: string): Place {
  const place = new Place();
  mkdirSync(place.home);
  const provider = `providers:\n  mine: { baseUrl: "${baseUrl}", apiKey: { env: MINE } }\n`;
  writeFileSync(
    join(place.home, "config.yaml"),
    `model: fake-1\nlog: { level: debug }\nretry: { baseMs: 1, maxMs: 2 }\n${provider}`,
  );
  return place;
}

const sentTo = ({
  requests,
}: {
  readonly requests: readonly { readonly headers: Readonly<Record<string, unknown>> }[];
}) => requests.map(({ headers }) => String(headers["authorization"]).replace("Bearer ", ""));

const everything = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith("credentials.json"))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");

test("[D6] [D7] [J3] the program goes on with a key that was added where the first one is refused; explain and status say so", async () => {
  await atMost(async () => {
    await using server = await fakeProvider([denied, say("hello"), say("again")]);
    const place = placeFor(server.baseUrl);
    try {
      const outputs: string[] = [];
      const run = async (args: readonly string[], input = "") => {
        const ran = await place.run(undefined, args, { env, input });
        outputs.push(ran.stdout, ran.stderr);
        return ran;
      };
      await run(["auth", "add", "mine"], B);
      const result = resultOf(await run(["-p", "hi", "--output", "json"]));
      expect(result.answer).toBe("hello");
      expect((await run(["turn", "explain", "last"])).stdout).toMatch(
        /from here on key \w{8} is sent instead of \w{8}/u,
      );
      expect((await run(["auth", "status"])).stdout).toMatch(/used up \(auth\); returns in (?:4 min|5 min)[\s\S]+ok/u);
      // Another process begins with the key that is left.
      expect(resultOf(await run(["-p", "more", "--output", "json"])).answer).toBe("again");
      expect(sentTo(server)).toEqual([A, B, B]);
      await run(["logs"]);
      for (const text of [...outputs, everything(place.folder)])
        for (const key of [A, B]) expect(text).not.toContain(key);
    } finally {
      place.remove();
    }
  });
});

test("[J3] [X8] a refused key is set where it lies: by the config, or among those that were added", async () => {
  await atMost(async () => {
    await using server = await fakeProvider([denied, denied]);
    const place = placeFor(server.baseUrl);
    try {
      const named = resultOf(await place.run(undefined, ["-p", "hi", "--output", "json"], { env }));
      expect(named.error?.message).toContain("the key in providers.mine.apiKey");
      expect(named.error?.next[0]?.command).toBe("evander auth login mine");
      await place.run(undefined, ["config", "unset", "providers.mine.apiKey"]);
      await place.run(undefined, ["auth", "add", "mine"], { input: B });
      const added = resultOf(await place.run(undefined, ["-p", "hi", "--output", "json"]));
      expect(added.error?.message).toMatch(/the key in \S+credentials\.json/u);
      expect(added.error?.next[0]?.command).toBe("evander auth add mine");
    } finally {
      place.remove();
    }
  });
});

test("[J3] [X8] a file of keys that cannot be used is told with what mends it, and stops no doctor", async () => {
  await atMost(async () => {
    const place = placeFor("http://127.0.0.1:9/v1");
    const file = join(place.home, "state/credentials.json");
    try {
      await place.run(undefined, ["auth", "add", "mine"], { input: B });
      const found: readonly [how: () => void, says: string, helps: string][] = [
        [() => chmodSync(file, 0o644), "can be read by others", `chmod 600 ${file}`],
        [() => writeFileSync(file, `{ "${B}`), "is no JSON object of keys", `mv ${file} ${file}.aside`],
      ];
      for (const [how, says, helps] of found) {
        how();
        const { error, exit } = resultOf(await place.run(undefined, ["-p", "hi", "--output", "json"], { env }));
        expect([exit.code, error?.message, error?.next[0]?.command]).toEqual([
          78,
          expect.stringContaining(says),
          helps,
        ]);
        const doctor = await place.run(undefined, ["doctor"], { env });
        expect(doctor).toMatchObject({ code: 1, stderr: "", stdout: expect.stringContaining(`next: ${helps}\n`) });
        expect(doctor.stdout).not.toContain(B);
        chmodSync(file, 0o600);
      }
    } finally {
      place.remove();
    }
  });
});

test("[D6] where every key is used up, the program says why, ends, and status says when each returns", async () => {
  await atMost(async () => {
    await using server = await fakeProvider([usedUp, usedUp, usedUp, usedUp] as readonly Script[]);
    const place = placeFor(server.baseUrl);
    try {
      await place.run(undefined, ["auth", "add", "mine"], { env, input: B });
      const result = resultOf(await place.run(undefined, ["-p", "hi", "--output", "json"], { env }));
      expect(result.exit).toMatchObject({ reason: "all_retries_exhausted_no_response", code: 75 });
      const { stdout } = await place.run(undefined, ["auth", "status"], { env });
      expect(stdout.match(/returns in (?:59 min|1 h)/gu)).toHaveLength(2);
    } finally {
      place.remove();
    }
  });
});

test("[D7] a process that dies between giving a key up and asking again: the next one goes on with the other key", async () => {
  await atMost(async () => {
    await using server = await fakeProvider([usedUp, say("hello")]);
    const place = placeFor(server.baseUrl);
    try {
      await place.run(undefined, ["auth", "add", "mine"], { env, input: B });
      const dead = await place.run(undefined, ["-p", "hi"], { env, killAt: "after-commit:key-rotated" });
      expect(dead.signal).toBe("SIGKILL");
      const resumed = await place.run(undefined, ["session", "resume", "last", "--continue", "--output", "json"], {
        env,
      });
      expect(resultOf(resumed)).toMatchObject({ answer: "hello" });
      expect(sentTo(server)).toEqual([A, B]);
    } finally {
      place.remove();
    }
  });
});

test("[CRED-07] three processes want to renew the same key: one asks, all go on with what it got, nothing is taken back", async () => {
  await atMost(async () => {
    await using authority = await fakeAuthority();
    const { secret, refreshToken, tokenUrl, clientId } = authority.grant();
    const isOld: Script = ({ headers }) =>
      headers.authorization === `Bearer ${secret}` ? refuse(401, { error: { message: "expired" } }) : say("hello");
    // A process may come so late that it finds the new key already.
    const server = await fakeProvider(Array<Script>(6).fill(isOld));
    const place = placeFor(server.baseUrl);
    try {
      writeFileSync(
        join(place.home, "config.yaml"),
        `model: fake-1\nproviders:\n  mine: { baseUrl: "${server.baseUrl}" }\n`,
      );
      const granted = JSON.stringify({ access_token: secret, refresh_token: refreshToken, expires_in: 3_600 });
      const to = ["--token-url", tokenUrl, "--client-id", clientId];
      await place.run(undefined, ["auth", "add", "mine", ...to], { input: granted });
      const runs = await Promise.all([1, 2, 3].map(() => place.run(undefined, ["-p", "hi", "--output", "json"])));
      for (const ran of runs) expect(resultOf(ran)).toMatchObject({ answer: "hello" });
      expect([authority.asked, authority.renewals]).toEqual([1, 1]);
      const status = await place.run(undefined, ["auth", "status"]);
      expect(status.stdout.trim().split("\n")).toHaveLength(1);
    } finally {
      place.remove();
      await server.close().catch(() => undefined);
    }
  });
});
