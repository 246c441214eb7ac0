import type { ReceivedRequest } from "../support/fake-provider.ts";
import { said } from "../support/said.ts";
import { callTools, refuse, say, type ScriptedCall, type Step } from "../support/wire-script.ts";

const call = (id: string, name: string): ScriptedCall => ({ id, name, arguments: { id } });

/** Of the turn of the message `go N`, by the rest of N. */
export const SHAPES = [
  "text",
  "one effect",
  "three parallel",
  "approval",
  "child agent",
  "steer",
  "text",
  "interrupt",
] as const;

/** What the turn of the message `go N` calls: the shapes come round; of the text nothing. */
function callsOfTurn(n: number): readonly ScriptedCall[] {
  switch (n % SHAPES.length) {
    case 1:
      return [call(`a-${n}`, "act")];
    case 2:
      return ["l", "m", "n"].map((letter) => call(`${letter}-${n}`, "look"));
    case 3:
      return [call(`q-${n}`, "ask")];
    case 4:
      return [{ id: `d-${n}`, name: "delegate_task", arguments: { goal: `child ${n}` } }];
    case 5:
      return [call(`s-${n}`, "act"), call(`p-${n}`, "put"), call(`b-${n}`, "act")];
    default:
      return [];
  }
}

const TOO_LONG = refuse(400, { error: { message: "prompt is too long", code: "context_length_exceeded" } });
/** A request with more messages is refused, so that the history is made smaller. */
const MOST_MESSAGES = 26;

/** A model that goes by what it reads. */
export function modelInShapes(): (request: ReceivedRequest) => Step {
  const heads = new Set<string>();
  return ({ body }) => {
    const messages = body.messages.filter((message) => message.role !== "system");
    const [first] = messages;
    if (messages.length > MOST_MESSAGES) return TOO_LONG;
    const head = JSON.stringify(messages.slice(0, 2));
    const newHead = !heads.has(head) && messages.length > 1;
    heads.add(head);
    const step = slow(answer(said(first), messages));
    return newHead ? { ...step, newHead: true } : step;
  };
}

/** A server takes its time, before the first word and between two. */
const slow = (step: Step): Step => ({
  ...step,
  frames: step.frames.flatMap((frame, at) => (at < 3 ? [{ waitMs: 2 }, frame] : [frame])),
});

function answer(first: string, messages: ReceivedRequest["body"]["messages"]): Step {
  const last = messages.at(-1);
  const child = /^child (\d+)/u.exec(first)?.[1];
  if (child !== undefined) return last?.role === "tool" ? say("did it") : callTools([call(`c-${child}`, "act")]);
  if (last?.role === "tool") return say(["all", " done"]);
  const number = [...said(last).matchAll(/go (\d+)/gu)].at(-1)?.[1];
  if (number === undefined) return say(`The work goes on as before. ${"It was a long talk. ".repeat(5)}`);
  const calls = callsOfTurn(Number(number));
  return calls.length > 0 ? callTools(calls) : say(["went", " well"]);
}
