/** What a scripted provider does with one request, as data. */
export interface Step {
  /** 200 unless said otherwise. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Written one after the other; a pause waits for `release()`, a wait for its time. Nothing is sent before the first frame. */
  readonly frames: readonly Frame[];
  /** `cut` closes the connection in the middle, `reset` tears it down, `open` leaves it open until the client goes. */
  readonly end?: "normal" | "cut" | "reset" | "open";
  /** The body has neither a length nor chunks: closing the connection ends it, as in HTTP/1.0. */
  readonly untilClose?: true;
  /** No HTTP: the frames are all that the connection carries. */
  readonly bare?: true;
  /** The request may have a head that continues no earlier one. */
  readonly newHead?: true;
}

export const PAUSE: unique symbol = Symbol("pause");

/** A server that takes its time. */
export interface Wait {
  readonly waitMs: number;
}

export type Frame = string | Buffer | typeof PAUSE | Wait;

export interface ScriptedCall {
  /** Left out of the wire when null. */
  readonly id: string | null;
  readonly name: string;
  /** JSON text, or a value to be written as JSON. */
  readonly arguments: unknown;
}

export interface ReplyScript {
  readonly reasoning?: string | undefined;
  /** The text, or the pieces it arrives in. */
  readonly text?: string | readonly string[] | undefined;
  readonly calls?: readonly ScriptedCall[] | undefined;
  /** By default `tool_calls` when there are calls, else `stop`; null sends none. */
  readonly finish?: string | null | undefined;
  /** Null sends none. */
  readonly usage?: unknown;
  /** False leaves `[DONE]` out. */
  readonly done?: boolean | undefined;
}

export type StepOptions = Partial<Pick<Step, "status" | "headers" | "end" | "untilClose" | "newHead">>;

const USAGE = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 };

/** One event of a stream. */
export const event = (data: unknown): string => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

/** One `chat.completion.chunk` with this delta. */
export const delta = (fields: object, finish: string | null = null): string =>
  event(chunk([{ index: 0, delta: fields, finish_reason: finish }]));

const chunk = (choices: readonly object[], more: object = {}): object => ({
  id: "chatcmpl-fake",
  object: "chat.completion.chunk",
  created: 1_700_000_000,
  model: "fake-1",
  choices,
  ...more,
});

export const DONE: string = event("[DONE]");

/** The frames of a whole streamed reply: role, reasoning, text, calls in two pieces each, finish, usage, `[DONE]`. */
export function replyFrames(script: ReplyScript): string[] {
  const { reasoning, text = [], calls = [], usage = USAGE, done = true } = script;
  const finish = script.finish === undefined ? (calls.length > 0 ? "tool_calls" : "stop") : script.finish;
  return [
    delta({ role: "assistant", content: "" }),
    ...(reasoning === undefined ? [] : [delta({ reasoning_content: reasoning })]),
    ...(typeof text === "string" ? [text] : text).map((piece) => delta({ content: piece })),
    ...calls.flatMap(callFrames),
    ...(finish === null ? [] : [delta({}, finish)]),
    ...(usage === null ? [] : [event(chunk([], { usage }))]),
    ...(done ? [DONE] : []),
  ];
}

function callFrames({ id, name, arguments: input }: ScriptedCall, index: number): string[] {
  const text = typeof input === "string" ? input : JSON.stringify(input);
  const half = Math.ceil(text.length / 2);
  const first = {
    index,
    ...(id !== null && { id }),
    type: "function",
    function: { name, arguments: text.slice(0, half) },
  };
  return [
    delta({ tool_calls: [first] }),
    ...(half < text.length ? [delta({ tool_calls: [{ index, function: { arguments: text.slice(half) } }] })] : []),
  ];
}

export const reply = (script: ReplyScript, options: StepOptions = {}): Step => ({
  ...options,
  frames: replyFrames(script),
});

export const say = (text: string | readonly string[], options: StepOptions = {}): Step => reply({ text }, options);

export const callTools = (calls: readonly ScriptedCall[], options: StepOptions = {}): Step => reply({ calls }, options);

/** A refusal; a body that is no string is written as JSON. */
export const refuse = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Step => ({
  status,
  headers: { "content-type": typeof body === "string" ? "text/html" : "application/json", ...headers },
  frames: [typeof body === "string" ? body : JSON.stringify(body)],
});

/** A whole JSON reply, though a stream was asked for. */
export const wholeJson = (body: unknown): Step => ({
  headers: { "content-type": "application/json" },
  frames: [JSON.stringify(body)],
});

/** The frames as they stand. */
export const stream = (frames: readonly Frame[], options: StepOptions = {}): Step => ({ ...options, frames });

/** The first `sent` frames of a reply, then what `end` says. */
export const broken = (script: ReplyScript, sent: number, end: "cut" | "reset" | "open"): Step => ({
  frames: replyFrames(script).slice(0, sent),
  end,
});
