import type { Failure, FailureReason } from "../protocol/failure.ts";
import { type Step, EXPLAIN, RETRY, shellWord, type Words } from "./steps.ts";

const OTHER_MODEL: Step = {
  do: "switch-model",
  text: { en: "Name another model.", zh: "换一个模型。" },
  command: "evander --model NAME",
};

/** `source` is where the key was read; undefined where there was none, or whoever calls gave it. */
const keyWords = (source: string | undefined, provider: string | undefined): Words => ({
  explain:
    source === undefined
      ? { en: "The provider refused the key, or wants one.", zh: "服务商拒绝了密钥，或需要密钥。" }
      : { en: `The provider refused the key in ${source}.`, zh: `服务商拒绝了 ${source} 中的密钥。` },
  next: [
    {
      do: "set-key",
      text: {
        en: "Set the key, and see that it may use this model.",
        zh: "设置密钥，并确认它可以使用该模型。",
      },
      command: keyCommand(source, provider),
    },
  ],
});

/** A key lies in a variable, in a place that the config names, or in the file of those that were added. */
function keyCommand(source: string = "OPENAI_API_KEY", provider: string | undefined): string {
  const [variable = ""] = source.split(" ", 1);
  if (/^[A-Za-z_]\w*$/u.test(variable)) return `export ${variable}=YOUR_KEY`;
  return `evander auth ${source.startsWith("providers.") ? "login" : "add"} ${shellWord(provider ?? "PROVIDER")}`;
}

const keysWords = (keys: number): Words => ({
  explain: {
    en: `None of the provider's ${keys} keys can be used now.`,
    zh: `服务商的 ${keys} 个密钥现在都不能使用。`,
  },
  next: [
    {
      do: "key-status",
      text: { en: "See why, and when each returns.", zh: "查看原因，以及各密钥何时恢复。" },
      command: "evander auth status",
    },
    OTHER_MODEL,
  ],
});

/** The conversation was refused as it stands, also in the plainest form that there is of it. */
const HISTORY_WORDS: Words = {
  explain: {
    en: "The provider refuses this conversation as it stands, also without all that it could do without; nothing of it is lost.",
    zh: "服务商拒绝了这段对话，去掉一切可省略的内容后仍然拒绝；对话内容没有丢失。",
  },
  next: [
    {
      do: "new-session",
      text: { en: "Begin a new session, as /new does.", zh: "开始新会话，与 /new 相同。" },
      command: "evander",
    },
    {
      do: "compact",
      text: {
        en: "Or open this one and send less of it: /compact.",
        zh: "或打开本会话并少发送一些内容：/compact。",
      },
      command: "evander --resume {session}",
    },
    OTHER_MODEL,
  ],
};

/** Its server has told somebody that its limit is used up, and it was not asked. */
const LIMITED_WORDS: Words = {
  explain: { en: "The model's limit is used up, so it was not asked.", zh: "模型的限额已用完，因此没有询问它。" },
  next: [RETRY, OTHER_MODEL],
};

/** By failure reason, where the reason says more than the exit does (rows D1, J3). */
const FAILURE_WORDS: Partial<Record<FailureReason, Words>> = {
  billing: {
    explain: { en: "The provider wants to be paid before it answers.", zh: "服务商要求先付费才会回答。" },
    next: [
      {
        do: "billing",
        text: {
          en: "Look at the billing page of the provider's account: credit, plan, limits.",
          zh: "查看服务商账户的账单页：余额、套餐、限额。",
        },
        command: null,
      },
      OTHER_MODEL,
    ],
  },
  thinking_signature: HISTORY_WORDS,
  invalid_encrypted_content: HISTORY_WORDS,
  model_not_found: {
    explain: { en: "The provider does not have this model.", zh: "服务商没有这个模型。" },
    next: [OTHER_MODEL],
  },
  provider_policy_blocked: {
    explain: {
      en: "The provider's own policy for this account excludes this model.",
      zh: "服务商对该账户的策略不允许使用这个模型。",
    },
    next: [
      {
        do: "provider-policy",
        text: {
          en: "Change the policy in the settings of the provider's account.",
          zh: "在服务商账户的设置中修改策略。",
        },
        command: null,
      },
      OTHER_MODEL,
    ],
  },
};

interface Failing {
  /** Calls that failed for it. */
  readonly tries?: number | undefined;
  /** The variable that holds the key. */
  readonly keySource?: string | undefined;
  /** Who was asked. */
  readonly provider?: string | undefined;
  /** So many keys of the provider were there, and none is left. */
  readonly spentKeys?: number | undefined;
}

/** Sets where a provider is asked; one that has no name of its own is set by a variable. */
const addressStep = (provider: string = CUSTOM): Step => ({
  do: "set-address",
  text: { en: "Set the base URL to where the API really is.", zh: "把 base URL 设为 API 实际所在的地址。" },
  command:
    provider === CUSTOM
      ? "export OPENAI_BASE_URL=URL"
      : `evander config set ${shellWord(`providers.${provider}.baseUrl`)} URL`,
});

const CUSTOM = "custom";

/** What trying again does not change. */
function lastingWords({ status, reason }: Failure, provider: string | undefined): Words {
  if (status !== undefined && status >= 300 && status < 400)
    return {
      explain: {
        en: "The model's server sends requests elsewhere, where the key is not sent along.",
        zh: "模型服务器把请求转到别处，而密钥不会随之发送。",
      },
      next: [addressStep(provider), EXPLAIN],
    };
  if (status === undefined && reason === "unknown")
    return {
      explain: {
        en: "The model's server cannot be asked as it is set up; trying again would not change that.",
        zh: "按目前的设置无法询问模型服务器；重试也不会改变结果。",
      },
      next: [addressStep(provider), EXPLAIN],
    };
  if (status === undefined && reason === "format_error")
    return {
      explain: {
        en: "What the model's server sent was no reply that could be used; trying again would not change that.",
        zh: "模型服务器发来的内容无法作为回复使用；重试也不会改变结果。",
      },
      next: [OTHER_MODEL, EXPLAIN],
    };
  return {
    explain: {
      en: "The provider rejected the request; trying again would not change that.",
      zh: "服务商拒绝了请求；重试也不会改变结果。",
    },
    next: [EXPLAIN],
  };
}

/** What may pass, and did not. */
function passingCause({ status, reason, unsent }: Failure): readonly [en: string, zh: string] {
  if (status !== undefined) return ["The model's server answered with an error", "模型服务器返回了错误"];
  return reason === "timeout" || unsent === true
    ? ["The model could not be reached", "无法连接到模型"]
    : ["What the model's server sent was no reply that could be used", "模型服务器发来的内容无法作为回复使用"];
}

/** The words of a failure that ended a turn. */
export function failureWords(failure: Failure, { tries = 1, keySource, provider, spentKeys }: Failing): Words {
  if (spentKeys !== undefined && failure.shouldRotateCredential) return keysWords(spentKeys);
  if (failure.reason === "auth" || failure.reason === "auth_permanent") return keyWords(keySource, provider);
  const known = failure.refusesHistory === true ? HISTORY_WORDS : FAILURE_WORDS[failure.reason];
  if (known !== undefined) return known;
  return failure.retryable ? passingWords(failure, tries, provider) : lastingWords(failure, provider);
}

function passingWords(failure: Failure, tries: number, provider: string | undefined): Words {
  if (failure.reason === "rate_limit" && failure.unsent === true) return LIMITED_WORDS;
  const [en, zh] = passingCause(failure);
  const explain =
    tries > 1 ? { en: `${en}, ${tries} times.`, zh: `${zh}，共 ${tries} 次。` } : { en: `${en}.`, zh: `${zh}。` };
  return { explain, next: failure.status === 404 ? [addressStep(provider), RETRY] : [RETRY] };
}
