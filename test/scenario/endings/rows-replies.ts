import {
  callTools,
  delta,
  DONE,
  event,
  refuse,
  reply,
  say,
  type Step,
  stream,
  wholeJson,
} from "../../support/wire-script.ts";
import { EMPTY, http, OUT_OF_REACH, recovers, type Row, thenDone } from "./row.ts";

const REFUSED = ["content_policy 80"];
const LISTING = { id: "c1", name: "search_files", arguments: { path: "." } };

const empty = (id: string, step: Step): Row => ({
  id: `empty/${id}`,
  shows: "C9 J1 J3",
  server: http(step),
  ends: [EMPTY, OUT_OF_REACH],
});

const wholeReply = (message: object, finish = "stop"): Step =>
  wholeJson({ choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }] });

const EMPTIES: readonly Row[] = [
  empty("stop", reply({})),
  empty("no-finish", reply({ finish: null })),
  empty("done-alone", stream([DONE])),
  empty("no-choices", stream([event({ choices: [] }), DONE])),
  empty("object-without-keys", stream([event({}), DONE])),
  empty("null-content", stream([delta({ content: null }), delta({}, "stop"), DONE])),
  empty("white-space", say(" \n\t \u00A0\u3000")),
  empty("zero-width", say("\u200B\u200D\uFEFF\u2060")),
  empty("content-list", stream([delta({ content: [] }), delta({}, "stop"), DONE])),
  empty("tool-calls-without-calls", reply({ finish: "tool_calls" })),
  empty("whole-json", wholeReply({ content: "" })),
  empty("whole-json-null", wholeReply({ content: null })),
  {
    id: "empty/after-tool",
    shows: "C9 J1",
    server: http(({ body }) => (body.messages.some(({ role }) => role === "tool") ? reply({}) : callTools([LISTING]))),
    ends: [EMPTY],
  },
  { id: "empty/once", shows: "C9", server: recovers(reply({})), answer: "fine" },
];

const thinking = (id: string, step: Step, ends: readonly string[] = [EMPTY, "thinking_exhausted 76"]): Row => ({
  id: `thinking/${id}`,
  shows: "C9 C12 C17",
  server: http(step),
  ends,
});

const THINKERS: readonly Row[] = [
  thinking("native", reply({ reasoning: "I could say something." })),
  thinking("inline", say("<think>I could say something.</think>")),
  thinking("inline-open", say("<think>I could say something, and never stop")),
  thinking("native-and-white-space", reply({ reasoning: "hm", text: "\n\n" })),
  thinking("native-to-the-limit", reply({ reasoning: "on and on", finish: "length" }), [
    "thinking_exhausted 76",
    "output_truncated 76",
  ]),
  thinking("inline-to-the-limit", reply({ text: "<think>on and on", finish: "length" }), [
    "thinking_exhausted 76",
    "output_truncated 76",
  ]),
  { id: "thinking/then-text", shows: "C12", server: http(say("<think>hm</think>fine")), answer: "fine" },
];

const refusal = (id: string, step: Step): Row => ({
  id: `refusal/${id}`,
  shows: "C9 J1",
  server: http(step),
  ends: REFUSED,
});

const REFUSALS: readonly Row[] = [
  refusal("filter-without-text", reply({ finish: "content_filter" })),
  refusal("filter-after-text", reply({ text: "This is how", finish: "content_filter" })),
  refusal("field", stream([delta({ refusal: "I cannot " }), delta({ refusal: "help." }), delta({}, "stop"), DONE])),
  refusal("field-whole-json", wholeReply({ content: null, refusal: "I cannot help." })),
  refusal(
    "status-400",
    refuse(400, {
      error: { code: "content_filter", message: "The response was filtered: ResponsibleAIPolicyViolation." },
    }),
  ),
  refusal("event", stream([event({ error: { code: "content_filter", message: "Filtered." } })])),
];

const strangeCall = (id: string, step: Step): Row => ({
  id: `calls/${id}`,
  shows: "C11 E1 J1",
  server: thenDone(step),
  answer: "done",
});

const oneCall = (name: string, input: unknown, id: string | null = "c1"): Step =>
  callTools([{ id, name, arguments: input }]);

/** Arguments that are no text on the wire. */
const rawArguments = (value: unknown): Step =>
  stream([
    delta({
      tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "search_files", arguments: value } }],
    }),
    delta({}, "tool_calls"),
    DONE,
  ]);

const CALLS: readonly Row[] = [
  strangeCall(
    "no-id",
    callTools([
      { ...LISTING, id: null },
      { ...LISTING, id: null },
    ]),
  ),
  strangeCall("empty-id", callTools([{ ...LISTING, id: "" }])),
  strangeCall("same-id-twice", callTools([LISTING, { ...LISTING, arguments: { path: "./" } }])),
  {
    ...strangeCall("same-id-every-round", say("")),
    server: http(({ index }) =>
      index < 3 ? callTools([{ ...LISTING, arguments: { pattern: `x${index}` } }]) : say("done"),
    ),
  },
  strangeCall("id-of-100-kB", callTools([{ ...LISTING, id: "x".repeat(100_000) }])),
  strangeCall("id-with-controls", callTools([{ ...LISTING, id: "a\u0000\ud800\n\u2028" }])),
  strangeCall("empty-name", oneCall("", { path: "." })),
  strangeCall("name-with-spaces", oneCall(" list files! ", { path: "." })),
  strangeCall("name-of-10-kB", oneCall("n".repeat(10_000), {})),
  strangeCall("unknown-tool", oneCall("launch_rocket", { when: "now" })),
  strangeCall("proto-name", oneCall("__proto__", {})),
  strangeCall("constructor-name", oneCall("constructor", {})),
  strangeCall("proto-arguments", oneCall("search_files", '{"__proto__":{"path":"/"},"constructor":1,"path":"."}')),
  strangeCall("arguments-list", oneCall("search_files", "[1,2]")),
  strangeCall("arguments-string", oneCall("search_files", '"here"')),
  strangeCall("arguments-number", oneCall("search_files", "7")),
  strangeCall("arguments-null", oneCall("search_files", "null")),
  strangeCall("arguments-broken", oneCall("search_files", '{"path":')),
  strangeCall("arguments-blank", oneCall("search_files", " ")),
  strangeCall("arguments-object-on-the-wire", rawArguments({ path: "." })),
  strangeCall("arguments-list-on-the-wire", rawArguments([1])),
  strangeCall("arguments-surrogate", oneCall("search_files", String.raw`{"path":"\ud800\u0000"}`)),
  strangeCall("arguments-of-1-MB", oneCall("write_file", { path: "a.txt", content: "x".repeat(1_000_000) })),
  strangeCall(
    "two-hundred",
    callTools(Array.from({ length: 200 }, (_, n) => ({ ...LISTING, id: `c${n}`, arguments: { pattern: `x${n}` } }))),
  ),
];

const nonsense = (id: string, usage: unknown): Row => ({
  id: `usage/${id}`,
  shows: "C16",
  server: http(reply({ text: "fine", usage })),
  answer: "fine",
});

const USAGES: readonly Row[] = [
  nonsense("missing", null),
  nonsense("negative", { prompt_tokens: -5, completion_tokens: -1, total_tokens: -6 }),
  nonsense("strings", { prompt_tokens: "many", completion_tokens: "12", prompt_tokens_details: "none" }),
  nonsense("list", [1, 2, 3]),
  nonsense("huge", { prompt_tokens: 1e300, completion_tokens: 1.5 }),
];

const loops = (id: string, step: (index: number) => Step, ends: readonly string[]): Row => ({
  id: `loop/${id}`,
  shows: "E7 J1",
  server: http(({ index }) => step(index)),
  ends,
});

const HALTED = ["guardrail_halt 23"];
const INVALID = ["invalid_tool_calls 76"];
const call = (index: number, name: string, input: unknown): Step => oneCall(name, input, `c${index}`);

const LOOPS: readonly Row[] = [
  loops("same-call", (n) => call(n, "search_files", { path: "." }), HALTED),
  loops("same-failing-call", (n) => call(n, "read_file", { path: "none.txt" }), HALTED),
  loops("failing-in-new-ways", (n) => call(n, "read_file", { path: `none-${n}.txt` }), HALTED),
  loops("two-calls-in-turn", (n) => call(n, "search_files", n % 2 === 0 ? { path: "." } : { pattern: "x" }), HALTED),
  loops("same-command", (n) => call(n, "terminal", { command: "ls" }), HALTED),
  loops("same-denied-call", (n) => call(n, "terminal", { command: "rm -rf /tmp/evander-none" }), HALTED),
  loops("length", () => reply({ text: "and on ", finish: "length" }), ["output_truncated 76"]),
  loops("invalid-name", (n) => call(n, "launch_rocket", { n }), INVALID),
  loops("invalid-json", (n) => call(n, "search_files", `{"path" "${n}"`), [...INVALID, ...HALTED]),
  loops("text-and-same-call", (n) => reply({ text: "Looking again.", calls: [{ ...LISTING, id: `c${n}` }] }), HALTED),
];

export const REPLY_ROWS: readonly Row[] = [...EMPTIES, ...THINKERS, ...REFUSALS, ...CALLS, ...USAGES, ...LOOPS];
