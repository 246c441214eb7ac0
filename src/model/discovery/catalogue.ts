import type { ApiMode } from "../../protocol/provider.ts";
import type { Sentence } from "../../protocol/sentence.ts";

/**
 * Hosted providers whose key lies in a variable, in the order in which they are taken. Those that speak a dialect of
 * their own say so in `api`; Azure and Cohere are asked at the compatible addresses they document.
 * Addresses and variables are those of the providers' own documentation, as of 2026.
 */
export interface Hosted {
  /** As `--provider` takes it. */
  readonly id: string;
  readonly name: string;
  /** Where its key is looked for; the first that is set holds. */
  readonly keys: readonly string[];
  /** `{A|B}` stands for the first of these variables that is set. Beside `X_API_KEY`, `X_BASE_URL` wins over it. */
  readonly baseUrl: string;
  /** Added to a base URL from a variable that does not end so. */
  readonly ending?: string;
  /** Variables that name the model. */
  readonly models?: readonly string[];
  /** Names of which the newest is the default model, the preferred family first. */
  readonly prefer: readonly RegExp[];
  /** How it is spoken to; `chat_completions` when absent. */
  readonly api?: ApiMode;
  /** Addresses of it at which chat completions are spoken instead. */
  readonly compatible?: RegExp;
  /** Variables of what signs with the key: joined to it with colons. The first must be there. */
  readonly signing?: readonly string[];
  /** The variable is mainly there for other work: it is used only when this provider is named. */
  readonly byName?: true;
}

const BEDROCK: Pick<Hosted, "baseUrl" | "api" | "models" | "prefer"> = {
  baseUrl: "https://bedrock-runtime.{AWS_REGION|AWS_DEFAULT_REGION}.amazonaws.com",
  api: "bedrock_converse",
  models: ["BEDROCK_MODEL"],
  prefer: [/^openai\.gpt-oss-120b/, /^amazon\.nova-pro/],
};

export const HOSTED: readonly Hosted[] = [
  {
    id: "openai",
    name: "OpenAI",
    keys: ["OPENAI_API_KEY"],
    baseUrl: "https://api.openai.com/v1",
    models: ["OPENAI_MODEL"],
    prefer: [/^gpt-\d+(?:\.\d+)?$/, /^gpt-[\w.]+$/],
  },
  {
    id: "anthropic",
    name: "Anthropic",
    keys: ["ANTHROPIC_API_KEY"],
    baseUrl: "https://api.anthropic.com",
    api: "anthropic_messages",
    models: ["ANTHROPIC_MODEL"],
    prefer: [/^claude-sonnet-[\d-]+$/, /^claude-[\w-]+$/],
  },
  {
    id: "openrouter",
    name: "OpenRouter",
    keys: ["OPENROUTER_API_KEY"],
    baseUrl: "https://openrouter.ai/api/v1",
    prefer: [/^openrouter\/auto$/],
  },
  {
    id: "gemini",
    name: "Gemini",
    keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    baseUrl: "https://generativelanguage.googleapis.com",
    api: "gemini",
    compatible: /\/openai\/*$/,
    prefer: [/^(?:models\/)?gemini-[\d.]+-flash$/, /^(?:models\/)?gemini-[\d.]+-pro$/],
  },
  {
    id: "deepseek",
    name: "DeepSeek",
    keys: ["DEEPSEEK_API_KEY"],
    baseUrl: "https://api.deepseek.com/v1",
    prefer: [/^deepseek-chat$/, /^deepseek-v[\d.]+[\w-]*$/],
  },
  {
    // Keys of mainland China: DASHSCOPE_BASE_URL=https://dashscope.aliyuncs.com/compatible-mode/v1
    id: "dashscope",
    name: "DashScope (Qwen)",
    keys: ["DASHSCOPE_API_KEY"],
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    prefer: [/^qwen-plus$/, /^qwen[\d.]*-(?:plus|max)$/],
  },
  {
    // Keys of mainland China: MOONSHOT_BASE_URL=https://api.moonshot.cn/v1
    id: "moonshot",
    name: "Moonshot (Kimi)",
    keys: ["MOONSHOT_API_KEY", "KIMI_API_KEY"],
    baseUrl: "https://api.moonshot.ai/v1",
    prefer: [/^kimi-k[\d.]+$/, /^kimi-[\w.-]+$/],
  },
  {
    id: "zai",
    name: "Z.AI (GLM)",
    keys: ["ZAI_API_KEY", "ZHIPU_API_KEY", "GLM_API_KEY"],
    baseUrl: "https://api.z.ai/api/paas/v4",
    prefer: [/^glm-\d+(?:\.\d+)?$/],
  },
  {
    id: "xai",
    name: "xAI",
    keys: ["XAI_API_KEY"],
    baseUrl: "https://api.x.ai/v1",
    prefer: [/^grok-\d+(?:\.\d+)?(?:-\d{4})?$/, /^grok-[\w.-]+$/],
  },
  {
    id: "mistral",
    name: "Mistral",
    keys: ["MISTRAL_API_KEY"],
    baseUrl: "https://api.mistral.ai/v1",
    prefer: [/^mistral-medium-latest$/, /^mistral-large-latest$/],
  },
  {
    id: "groq",
    name: "Groq",
    keys: ["GROQ_API_KEY"],
    baseUrl: "https://api.groq.com/openai/v1",
    prefer: [/^openai\/gpt-oss-120b$/, /^llama-[\d.]+-70b/],
  },
  {
    id: "cerebras",
    name: "Cerebras",
    keys: ["CEREBRAS_API_KEY"],
    baseUrl: "https://api.cerebras.ai/v1",
    prefer: [/^gpt-oss-120b$/, /^zai-glm-[\d.]+$/],
  },
  {
    // docs.aws.amazon.com: Bedrock API keys
    id: "bedrock",
    name: "Amazon Bedrock",
    keys: ["AWS_BEARER_TOKEN_BEDROCK"],
    ...BEDROCK,
  },
  {
    id: "bedrock-sigv4",
    name: "Amazon Bedrock (AWS keys)",
    keys: ["AWS_ACCESS_KEY_ID"],
    signing: ["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"],
    ...BEDROCK,
    byName: true,
  },
  {
    // learn.microsoft.com: Azure OpenAI v1 API; a model is the name of a deployment
    id: "azure",
    name: "Azure OpenAI",
    keys: ["AZURE_OPENAI_API_KEY"],
    baseUrl: "{AZURE_OPENAI_ENDPOINT}",
    ending: "/openai/v1",
    models: ["AZURE_OPENAI_DEPLOYMENT", "AZURE_OPENAI_DEPLOYMENT_NAME"],
    prefer: [],
  },
  {
    id: "together",
    name: "Together",
    keys: ["TOGETHER_API_KEY"],
    baseUrl: "https://api.together.xyz/v1",
    prefer: [/^openai\/gpt-oss-120b$/],
  },
  {
    id: "fireworks",
    name: "Fireworks",
    keys: ["FIREWORKS_API_KEY"],
    baseUrl: "https://api.fireworks.ai/inference/v1",
    prefer: [/gpt-oss-120b$/],
  },
  {
    id: "deepinfra",
    name: "DeepInfra",
    keys: ["DEEPINFRA_API_KEY"],
    baseUrl: "https://api.deepinfra.com/v1/openai",
    prefer: [/^openai\/gpt-oss-120b$/],
  },
  {
    id: "minimax",
    name: "MiniMax",
    keys: ["MINIMAX_API_KEY"],
    baseUrl: "https://api.minimax.io/v1",
    prefer: [/^MiniMax-M[\d.]+$/],
  },
  {
    id: "siliconflow",
    name: "SiliconFlow",
    keys: ["SILICONFLOW_API_KEY"],
    baseUrl: "https://api.siliconflow.com/v1",
    prefer: [/^deepseek-ai\/DeepSeek-V[\d.]+$/],
  },
  {
    id: "nvidia",
    name: "NVIDIA",
    keys: ["NVIDIA_API_KEY"],
    baseUrl: "https://integrate.api.nvidia.com/v1",
    prefer: [/^openai\/gpt-oss-120b$/],
  },
  {
    id: "cohere",
    name: "Cohere",
    keys: ["COHERE_API_KEY", "CO_API_KEY"],
    baseUrl: "https://api.cohere.ai/compatibility/v1",
    prefer: [/^command-a-\d\d-\d{4}$/],
  },
  {
    id: "nebius",
    name: "Nebius",
    keys: ["NEBIUS_API_KEY"],
    baseUrl: "https://api.tokenfactory.nebius.com/v1",
    prefer: [/^openai\/gpt-oss-120b$/],
  },
  {
    id: "novita",
    name: "Novita",
    keys: ["NOVITA_API_KEY"],
    baseUrl: "https://api.novita.ai/openai",
    prefer: [/^openai\/gpt-oss-120b$/],
  },
  {
    id: "chutes",
    name: "Chutes",
    keys: ["CHUTES_API_KEY"],
    baseUrl: "https://llm.chutes.ai/v1",
    prefer: [/^openai\/gpt-oss-120b/],
  },
  {
    id: "baseten",
    name: "Baseten",
    keys: ["BASETEN_API_KEY"],
    baseUrl: "https://inference.baseten.co/v1",
    prefer: [/^openai\/gpt-oss-120b$/],
  },
  {
    id: "xiaomi",
    name: "Xiaomi MiMo",
    keys: ["XIAOMI_API_KEY"],
    baseUrl: "https://api.xiaomimimo.com/v1",
    prefer: [/^mimo-v[\d.]+-pro$/, /^mimo-[\w.-]+$/],
  },
  {
    id: "stepfun",
    name: "StepFun",
    keys: ["STEPFUN_API_KEY"],
    baseUrl: "https://api.stepfun.com/v1",
    prefer: [/^step-[\d.]+-flash$/],
  },
  {
    id: "vercel",
    name: "Vercel AI Gateway",
    keys: ["AI_GATEWAY_API_KEY"],
    baseUrl: "https://ai-gateway.vercel.sh/v1",
    prefer: [/^openai\/gpt-\d+(?:\.\d+)?$/],
  },
  {
    id: "ollama-cloud",
    name: "Ollama Cloud",
    keys: ["OLLAMA_API_KEY"],
    baseUrl: "https://ollama.com/v1",
    prefer: [/^gpt-oss:120b$/],
  },
  {
    id: "huggingface",
    name: "Hugging Face",
    keys: ["HF_TOKEN"],
    baseUrl: "https://router.huggingface.co/v1",
    prefer: [/^openai\/gpt-oss-120b$/],
  },
  {
    id: "github-models",
    name: "GitHub Models",
    keys: ["GITHUB_TOKEN", "GH_TOKEN"],
    baseUrl: "https://models.github.ai/inference",
    prefer: [],
    byName: true,
  },
  {
    id: "cloudflare",
    name: "Cloudflare Workers AI",
    keys: ["CLOUDFLARE_API_TOKEN"],
    baseUrl: "https://api.cloudflare.com/client/v4/accounts/{CLOUDFLARE_ACCOUNT_ID}/ai/v1",
    prefer: [/^@cf\/openai\/gpt-oss-120b$/],
    byName: true,
  },
];

/** Credentials of providers that are reached in a dialect this program does not speak yet. */
export interface Unsupported {
  readonly id: string;
  readonly name: string;
  /** All of them say the same; the first that is set is named. */
  readonly variables: readonly string[];
  /** What is missing. */
  readonly why: Sentence;
  /** What works today instead. */
  readonly instead: string;
}

export const UNSUPPORTED: readonly Unsupported[] = [
  {
    id: "bedrock-profile",
    name: "Amazon Bedrock",
    variables: ["AWS_PROFILE"],
    why: { en: "Profiles of the AWS command line are not read yet.", zh: "尚不支持读取 AWS 命令行的配置。" },
    instead: "export AWS_BEARER_TOKEN_BEDROCK=YOUR_KEY",
  },
  {
    id: "vertex",
    name: "Google Vertex AI",
    variables: ["GOOGLE_APPLICATION_CREDENTIALS"],
    why: { en: "Vertex AI's own sign-in is not spoken yet.", zh: "尚不支持 Vertex AI 自己的登录方式。" },
    instead: "export GEMINI_API_KEY=YOUR_KEY",
  },
  {
    id: "anthropic-token",
    name: "Anthropic",
    variables: ["ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
    why: {
      en: "A token of a subscription is for Anthropic's own programs.",
      zh: "订阅令牌仅供 Anthropic 自己的程序使用。",
    },
    instead: "export ANTHROPIC_API_KEY=YOUR_KEY",
  },
  {
    id: "github-copilot",
    name: "GitHub Copilot",
    variables: ["COPILOT_GITHUB_TOKEN"],
    why: { en: "Copilot's own sign-in is not spoken yet.", zh: "尚不支持 Copilot 自己的登录方式。" },
    instead: "evander --provider github-models --model NAME",
  },
  {
    id: "perplexity",
    name: "Perplexity",
    variables: ["PERPLEXITY_API_KEY"],
    why: { en: "Its models take no tools of ours.", zh: "它的模型不支持我们的工具。" },
    instead: "export OPENROUTER_API_KEY=YOUR_KEY",
  },
];

/** How a provider is spoken to at one of its addresses. */
export const apiAt = ({ api, compatible }: Hosted, baseUrl: string): ApiMode | undefined =>
  compatible?.test(baseUrl) === true ? undefined : api;

/** Every name that `--provider` takes for a hosted provider. */
export const hosted = (id: string): Hosted | undefined => HOSTED.find((each) => each.id === id);
