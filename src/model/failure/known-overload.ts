import type { Failure, Overload } from "../../protocol/failure.ts";

interface Asked {
  /** The base URL. */
  readonly url: string;
  readonly model: string;
}

interface Known {
  readonly overload: Overload;
  readonly status?: number;
  /** Parts of the base URL and of the model's name. */
  readonly url?: string;
  readonly model?: string;
  /** One of them is the code, or stands in what the server says, in lower case. */
  readonly words: readonly string[];
}

/** Overloads that last for minutes, and are told apart from an allowance that is used up (hermes.md §9.4). */
const KNOWN: readonly Known[] = [
  {
    overload: "zai",
    status: 429,
    url: "api.z.ai/api/coding/paas/v4",
    model: "glm-5.2",
    words: ["1305", "temporarily overloaded"],
  },
  { overload: "anthropic", words: ["overloaded_error"] },
];

export function knownOverload(
  failure: Pick<Failure, "status" | "code" | "message">,
  asked: Asked,
): Overload | undefined {
  const said = failure.message.toLowerCase();
  const fits = ({ status = failure.status, url = "", model = "", words }: Known): boolean =>
    status === failure.status &&
    asked.url.toLowerCase().includes(url) &&
    asked.model.toLowerCase().includes(model) &&
    words.some((word) => failure.code === word || said.includes(word));
  return KNOWN.find(fits)?.overload;
}
