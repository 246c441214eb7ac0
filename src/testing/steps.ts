/** What a scripted model does with one request, as data. */
export type ScriptStep =
  | {
      readonly type: "reply";
      /** Frames of the reply, in the order they are sent. */
      readonly deltas: readonly Readonly<Record<string, unknown>>[];
      readonly finish: "stop" | "tool_calls" | "length";
      readonly usage?: ScriptUsage;
    }
  | {
      readonly type: "refusal";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly error: Readonly<Record<string, string>>;
    }
  /** Sends this text, and then loses the connection or stays silent. */
  | { readonly type: "cut" | "stall"; readonly text: string };

/** Tokens that a reply says it took. */
export interface ScriptUsage {
  readonly input: number;
  readonly output: number;
  /** Of the input. */
  readonly cacheRead?: number;
}

export interface SayOptions {
  readonly usage?: ScriptUsage;
  /** What the model thinks first. */
  readonly reasoning?: string;
}

interface Say {
  /** An answer; a list arrives in these pieces. */
  text(text: string | readonly string[], options?: SayOptions): ScriptStep;
  /** One call of a tool; input that is no text is written as JSON. */
  tool(name: string, input: unknown, options?: SayOptions): ScriptStep;
  /** Several calls in one reply. */
  tools(calls: readonly (readonly [name: string, input: unknown])[], options?: SayOptions): ScriptStep;
  /** An answer that the output limit ends. */
  cutOff(text: string, options?: SayOptions): ScriptStep;
}

interface Fail {
  /** HTTP 429; `retryAfter` in seconds, as the header says it. */
  rateLimit(options?: { readonly retryAfter?: number }): ScriptStep;
  /** HTTP 503. */
  overloaded(): ScriptStep;
  /** HTTP 401. */
  auth(): ScriptStep;
  /** Any status, with the words of the server. */
  status(status: number, message: string): ScriptStep;
  /** The connection is lost in the middle of an answer. */
  cut(text?: string): ScriptStep;
  /** The server falls silent in the middle of an answer. */
  stall(text?: string): ScriptStep;
}

type Delta = Readonly<Record<string, unknown>>;

const reply = (
  deltas: readonly Delta[],
  finish: "stop" | "tool_calls" | "length",
  { usage, reasoning }: SayOptions,
): ScriptStep => ({
  type: "reply",
  deltas: [...(reasoning === undefined ? [] : [{ reasoning_content: reasoning }]), ...deltas],
  finish,
  ...(usage && { usage }),
});

const pieces = (text: string | readonly string[]): Delta[] =>
  (typeof text === "string" ? [text] : text).map((content) => ({ content }));

const calls = (asked: readonly (readonly [name: string, input: unknown])[]): Delta => ({
  tool_calls: asked.map(([name, input], index) => ({
    index,
    type: "function",
    function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input) },
  })),
});

const refusal = (status: number, error: Readonly<Record<string, string>>, headers = {}): ScriptStep => ({
  type: "refusal",
  status,
  headers,
  error,
});

/** What the model says. */
export const say: Say = {
  text: (text, options = {}) => reply(pieces(text), "stop", options),
  tool: (name, input, options = {}) => reply([calls([[name, input]])], "tool_calls", options),
  tools: (asked, options = {}) => reply([calls(asked)], "tool_calls", options),
  cutOff: (text, options = {}) => reply(pieces(text), "length", options),
};

/** What goes wrong instead. */
export const fail: Fail = {
  rateLimit: ({ retryAfter } = {}) =>
    refusal(
      429,
      { message: "Rate limit reached.", code: "rate_limit_exceeded" },
      retryAfter === undefined ? {} : { "retry-after": String(retryAfter) },
    ),
  overloaded: () => refusal(503, { message: "The server is overloaded." }),
  auth: () => refusal(401, { message: "Incorrect API key provided.", code: "invalid_api_key" }),
  status: (status, message) => refusal(status, { message }),
  cut: (text = "") => ({ type: "cut", text }),
  stall: (text = "") => ({ type: "stall", text }),
};
