import type { ProviderAnswer, ProviderStep, ProviderTrouble } from "../protocol/provider.ts";
import type { Sentence } from "../protocol/sentence.ts";

/** No model can be asked, and why. */
export type None = Extract<ProviderAnswer, { type: "none" }>;

export const none = (cause: ProviderTrouble, message: Sentence, next: readonly ProviderStep[]): None => ({
  type: "none",
  cause,
  message,
  next,
});

/** The same in both languages of the program. */
export const inBoth = (en: string, zh: string): Sentence => ({ en, zh });

export const step = (text: Sentence, command: string | null): ProviderStep => ({ do: "configure", text, command });

/** How a key is set, again or for the first time. */
export const keyStep = (keySource: string): ProviderStep =>
  step(inBoth(`Set ${keySource}`, `设置 ${keySource}`), keyCommand(keySource));

/** What works today in place of what is not supported. */
export const insteadStep = (command: string): ProviderStep => step(inBoth("Use instead", "改用"), command);

/** A variable without which there is no address. */
export const variableStep = (variable: string): ProviderStep =>
  step(inBoth(`Set ${variable}`, `设置 ${variable}`), `export ${variable}=VALUE`);

/** Where the config describes the key, it is kept for the program; else it lies in its variable. */
function keyCommand(keySource: string): string {
  const [, described] = /^providers\.([\w-]+)\.apiKey$/u.exec(keySource) ?? [];
  const [variable = ""] = keySource.split(" ", 1);
  return described === undefined ? `export ${variable}=YOUR_KEY` : `evander auth login ${described}`;
}

export const PRACTICE_STEP: ProviderStep = {
  do: "practice",
  text: inBoth(
    "Use the practice model: rule-based, on this machine, without a key",
    "使用练习模型：基于规则，在本机运行，不需要密钥",
  ),
  command: "evander --model practice",
};

export const LOOK_STEP: ProviderStep = {
  do: "look",
  text: inBoth("See all that was looked for", "查看查找过的一切"),
  command: "evander doctor providers",
};

/** Nothing was named and nothing was found. */
export const noProvider = (): None =>
  none(
    "no_provider",
    inBoth(
      "No model provider was found: no key in the environment, and no local server.",
      "没有找到模型服务商：环境变量中没有密钥，本机也没有服务器。",
    ),
    [
      PRACTICE_STEP,
      step(inBoth("Use a hosted provider", "使用在线服务商"), "export OPENAI_API_KEY=YOUR_KEY"),
      step(inBoth("Use a local server", "使用本地服务器"), "ollama serve"),
      LOOK_STEP,
    ],
  );

/** Whatever set it: a variable, or a config. */
export const ONLINE_STEP: ProviderStep = step(
  inBoth("Go online this time", "这一次联网"),
  "evander --config offline=off",
);

export const offline = (name: string): None =>
  none(
    "offline",
    inBoth(
      `${name} is not on this machine, and this program is told to stay offline.`,
      `${name} 不在本机，而程序被要求保持离线。`,
    ),
    [ONLINE_STEP, PRACTICE_STEP],
  );

export const noModelAt = (where: string): None =>
  none("no_model", inBoth(`${where} has no model; load one there first.`, `${where} 没有模型；请先加载一个。`), [
    PRACTICE_STEP,
  ]);
