import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { keepSecret } from "../../src/config/secrets.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { say } from "../support/wire-script.ts";
import { atMost } from "./at-most.ts";
import { Place, resultOf } from "./program.ts";

/** A place whose config names the provider, in YAML, with a key that is read when it is needed. */
async function configured(
  baseUrl: string,
  apiKey: string,
  use: (place: Place, ask: Ask) => Promise<void>,
): Promise<void> {
  await atMost(async () => {
    const place = new Place();
    const ask: Ask = (env = {}, ...flags) =>
      place.run(undefined, ["-p", "go", "--output", "json", ...flags], {
        env: { EVANDER_LOCAL_SERVERS: "off", ...env },
      });
    try {
      mkdirSync(place.home);
      const provider = `providers:\n  mine:\n    baseUrl: ${baseUrl}\n    apiKey: ${apiKey}\n`;
      writeFileSync(join(place.home, "config.yaml"), `model: m\n${provider}`);
      await use(place, ask);
    } finally {
      place.remove();
    }
  });
}

type Ask = (env?: NodeJS.ProcessEnv, ...flags: readonly string[]) => ReturnType<Place["run"]>;

test("[X8] -p asks the provider that the config describes, with the key that its reference leads to", async () => {
  await using provider = await fakeProvider([say("One."), say("Two."), say("Three.")], { apiKey: "k-1" });
  await configured(provider.baseUrl, "{secret: mine}", async (place, ask) => {
    keepSecret(place.home, "mine", "k-1");
    const ended = await ask();
    const result = resultOf(ended);
    assert.deepEqual([result.answer, result.provider], ["One.", "mine"], ended.stderr);
    assert.equal(result.providerSource, `${join(place.home, "config.yaml")}:4:5`);
    assert.equal(resultOf(await ask({ EVANDER_PROVIDER: "mine" })).providerSource, "EVANDER_PROVIDER");
    // What can be made again may be deleted: nothing but speed changes.
    assert.ok(existsSync(join(place.home, "cache")));
    rmSync(join(place.home, "cache"), { recursive: true });
    assert.equal(resultOf(await ask({}, "--provider", "mine")).providerSource, "--provider mine");
  });
});

test("[X8] a key is not read for a provider that is not asked, and one that cannot be had is said", async () => {
  const command = `{cmd: [${JSON.stringify(process.execPath)}, "-e", "require('fs').writeFileSync('ran', '')"]}`;
  await configured("http://127.0.0.1:9/v1", command, async (place, ask) => {
    const ran = join(place.work, "ran");
    assert.equal(resultOf(await ask({}, "--model", "practice")).provider, "practice");
    assert.equal(existsSync(ran), false);
    const { exit, error } = resultOf(await ask());
    assert.equal(existsSync(ran), true);
    assert.deepEqual([exit.code, error?.code], [78, "missing_key"]);
    assert.match(
      error?.message ?? "",
      /The key of mine cannot be had \(.*config\.yaml:4:5\)\. What .* prints is empty\.$/u,
    );
  });
});

test("[X8] offline in the config asks nothing beyond this machine", async () => {
  await configured("http://models.invalid/v1", "{env: K}", async (_place, ask) => {
    const { error } = resultOf(await ask({ K: "k" }, "--config", "offline=on"));
    assert.equal(error?.code, "offline");
  });
});

test("[X8] EVANDER_MODEL names the model; a broken config ends with 78 before any model is asked", async () => {
  await using provider = await fakeProvider([say("One.")], { apiKey: "k" });
  await configured(provider.baseUrl, "{env: K}", async (place, ask) => {
    assert.equal(resultOf(await ask({ K: "k", EVANDER_MODEL: "other" })).model, "other");
    writeFileSync(join(place.home, "config.yaml"), "model: m\nmaxIterations: ten\n");
    const ended = await ask({ K: "k" });
    assert.equal(ended.code, 78);
    assert.equal(resultOf(ended).error?.next[0]?.command, "evander config unset maxIterations");
  });
});

test("[X8] doctor providers lists what the config describes, chosen first, with what is wrong with it", async () => {
  await configured("http://127.0.0.1:9/v1", "{env: K}", async (place) => {
    const rows = async (env: NodeJS.ProcessEnv): Promise<unknown> => {
      const args = ["doctor", "providers", "--json"];
      const { stdout, stderr } = await place.run(undefined, args, { env: { EVANDER_LOCAL_SERVERS: "off", ...env } });
      assert.equal(stderr, "");
      assert.ok(!stdout.includes("the-key"));
      return (
        JSON.parse(stdout) as { provider: string; chosen: boolean; state: string; problem: string | null }[]
      ).find(({ provider }) => provider === "mine");
    };
    assert.partialDeepStrictEqual(await rows({ K: "the-key" }), { chosen: true, state: "ready", problem: null });
    const problem = `The key of mine cannot be had (${join(place.home, "config.yaml")}:4:5). The variable K is not set.`;
    assert.partialDeepStrictEqual(await rows({}), { state: "unusable", problem });
  });
});
