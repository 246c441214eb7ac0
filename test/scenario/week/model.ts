import assert from "node:assert/strict";
import type { ReceivedRequest, Script } from "../../support/fake-provider.ts";
import { callTools, say, type Step } from "../../support/wire-script.ts";

/** What a request must hold for the model to take its step. */
export interface Needs {
  /** In the system prompt. */
  readonly knows?: readonly string[];
  /** Not in the system prompt. */
  readonly knowsNot?: readonly string[];
  /** In the last message, with what was added to it. */
  readonly told?: readonly string[];
}

/** A step that is taken when the request holds what it needs; else the server refuses the request, and the day fails. */
export const when =
  ({ knows = [], knowsNot = [], told = [] }: Needs, step: Step | ((request: ReceivedRequest) => Step)): Script =>
  (request) => {
    const [system, last] = [systemOf(request), lastOf(request)];
    for (const text of knows) assert.ok(system.includes(text), `the prompt does not say ${text}: ${system}`);
    for (const text of knowsNot) assert.ok(!system.includes(text), `the prompt says ${text}`);
    for (const text of told) assert.ok(last.includes(text), `the model is not told ${text}, but ${last}`);
    return typeof step === "function" ? step(request) : step;
  };

const systemOf = ({ body }: ReceivedRequest): string =>
  String(body.messages.find(({ role }) => role === "system")?.content);

const lastOf = ({ body }: ReceivedRequest): string => String(body.messages.at(-1)?.content);

let calls = 0;

/** One call; no conversation may hold an id twice. */
export const calling = (name: string, input: object): Step =>
  callTools([{ id: `call-${++calls}`, name, arguments: input }]);

export const noting = (target: "memory" | "user", content: string): Step =>
  calling("memory", { action: "add", target, content });

export const running = (command: string): Step => calling("terminal", { command });

export const writing = (path: string, content: string): Step => calling("write_file", { path, content });

export const reading = (path: string): Step => calling("read_file", { path });

/** An answer made of what the prompt says. */
export const sayFromPrompt =
  (pattern: RegExp, answer: (found: string) => string): ((request: ReceivedRequest) => Step) =>
  (request) =>
    say(answer(pattern.exec(systemOf(request))?.[1] ?? "nothing that I know of"));
