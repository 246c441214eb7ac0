import { expect, test } from "vitest";
import { readConfig, type ConfigQuery } from "./config.ts";
import { modelAsked } from "./model-asked.ts";

const NOWHERE = "/nowhere/evander";

async function asked(env: NodeJS.ProcessEnv, flags: ConfigQuery["flags"] = {}, pairs: readonly string[] = []) {
  const around = { env: { EVANDER_HOME: NOWHERE, ...env }, home: NOWHERE, systemFolder: NOWHERE, platform: "linux" };
  const reading = await readConfig({ around, cwd: NOWHERE, attended: false, flags, pairs } as ConfigQuery);
  if (reading.type !== "config") throw new Error(reading.type);
  const { model, provider } = modelAsked(reading.config, around as ConfigQuery["around"], NOWHERE);
  return { model, provider };
}

test("[X8][X2] a flag beats a variable also where one of them names the practice model", async () => {
  const variable = { EVANDER_MODEL: "practice" };
  expect(await asked(variable)).toEqual({ model: "practice" });
  expect(await asked(variable, { provider: "openai" })).toEqual({ provider: "openai" });
  expect(await asked(variable, {}, ["provider=openai"])).toEqual({ provider: "openai" });
  expect(await asked({ EVANDER_PROVIDER: "Practice" }, { model: "gpt-5" })).toEqual({ model: "gpt-5" });
  expect(await asked({ EVANDER_PROVIDER: "openai" }, { model: "practice" })).toMatchObject({ model: "practice" });
});

test("[X8] all else that was said of model and provider holds together", async () => {
  expect(await asked({ EVANDER_MODEL: "gpt-5" }, { provider: "openai" })).toEqual({
    model: "gpt-5",
    provider: "openai",
  });
  expect(await asked({}, { model: "practice", provider: "practice" })).toEqual({
    model: "practice",
    provider: "practice",
  });
});
