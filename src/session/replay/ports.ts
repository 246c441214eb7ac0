import type { Fact } from "../../protocol/fact.ts";
import { callsOf, textOf, type ToolCallPart } from "../../protocol/message.ts";
import type {
  Chain,
  Clock,
  Compactor,
  Credentials,
  Model,
  ModelReply,
  OtherRuntime,
  RuntimeReply,
  Successor,
  Summarised,
  ToolPort,
  TurnPorts,
} from "../../protocol/ports.ts";
import { HARMLESS, type Inspection, type ToolResult } from "../../protocol/tool.ts";
import type { Course } from "./course.ts";
import { replyFor, resultOf, successorIn } from "./answers.ts";
import type { Waits } from "./waits.ts";

/** What the ports of one life answer from. */
export interface Answering {
  readonly course: Course;
  readonly waits: Waits;
  /** Writes requests as they were written; see `written`. */
  readonly model: Model;
  readonly sessionId: string;
  /** What was added to the system prompt and not kept; undefined: nothing. */
  readonly added: () => string | undefined;
  /** The loop goes on to this model. */
  readonly reach: (to: Successor) => void;
}

const WAITING = { model: "the model", tool: "a tool", sleep: "a wait" } as const;

/** Ports that say what stands in the record: no network, no tool, no clock and no chance. */
export function recordedPorts(from: Answering): TurnPorts {
  const { course, sessionId, added } = from;
  return {
    model: modelOf(from),
    tools: toolsOf(from),
    compactor: compactorOf(from),
    credentials: credentialsOf(from),
    clock: clockOf(from),
    random: () => 0,
    sessionId,
    get chain() {
      const next = course.nextOwn;
      return next?.type === "model-failure" && next.circumstances === undefined ? undefined : chainOf(from);
    },
    get runtime() {
      const { runtime } = course.state.setup;
      return runtime === undefined ? undefined : runtimeOf(runtime, from);
    },
    get ephemeralSystem() {
      return added();
    },
  };
}

function modelOf({ course, waits, model }: Answering): Model {
  return {
    ready: async (request) => model.ready?.(request),
    prepare(request) {
      failIfRecorded(course);
      const next = course.nextOwn;
      const key = next?.type === "attempt-start" ? (next.key ?? course.state.key) : undefined;
      const { key: _, ...prepared } = model.prepare(request);
      return {
        ...prepared,
        ...(key !== undefined && { key }),
        send: (__, signal) =>
          waits.until<ModelReply>(WAITING.model, (fact) => {
            const reply = replyFor(fact, course.state.cut, signal.aborted);
            return reply && { value: reply };
          }),
      };
    },
  };
}

/** The record says that a defect stopped the turn here: whatever our code asked for has thrown. */
function failIfRecorded({ next }: Course): void {
  if (next?.type === "bug-caught") throw new Error(next.message);
}

function toolsOf({ course, waits }: Answering): ToolPort {
  return {
    inspect(call) {
      failIfRecorded(course);
      return inspectionOf(call, course.nextOwn);
    },
    run: ({ callId }) =>
      waits.until<ToolResult>(WAITING.tool, (next) =>
        next?.type === "receipt" && next.message.callId === callId ? { value: resultOf(next) } : undefined,
      ),
  };
}

function inspectionOf({ callId }: ToolCallPart, next: Fact | undefined): Inspection {
  if (next?.type !== "assistant-message") return HARMLESS;
  const at = callsOf(next.message).findIndex((call) => call.callId === callId);
  return next.inspections?.[at] ?? HARMLESS;
}

function compactorOf({ course, waits }: Answering): Compactor {
  const summarise = (): Promise<Summarised> =>
    waits.until<Summarised>("a summary", (next) => {
      if (next?.type !== "history-compacted") return { value: { trouble: "" } };
      const { compaction, trouble } = next;
      return { value: trouble === undefined ? { compaction } : { trouble } };
    });
  return {
    compact: () => {
      const next = course.nextOwn;
      return next?.type === "history-compacted" ? next.compaction : undefined;
    },
    get summarise() {
      const asks = course.nextOwn?.type === "summary-start" || course.last?.type === "summary-start";
      return asks ? summarise : undefined;
    },
  };
}

function credentialsOf({ course, waits }: Answering): Credentials {
  const taken = (type: "key-rotated" | "key-refreshed") => (): Promise<string | undefined> =>
    waits.until<string | undefined>("a key", (next) => ({ value: next?.type === type ? next.to : undefined }));
  return {
    look: () => {
      const next = course.nextOwn;
      return next?.type === "model-failure" ? next.circumstances?.keys : undefined;
    },
    rotate: taken("key-rotated"),
    refresh: taken("key-refreshed"),
  };
}

function chainOf({ course, waits, reach }: Answering): Chain {
  return {
    left: () => {
      const next = course.nextOwn;
      return next?.type === "model-failure" ? (next.circumstances?.chainLeft ?? 0) : 0;
    },
    next: () =>
      waits.until<Successor | undefined>("another model", (next) => {
        if (next?.type !== "model-switched") return { value: undefined };
        const to = successorIn(next);
        reach(to);
        return { value: to };
      }),
  };
}

function runtimeOf(name: string, { waits }: Answering): OtherRuntime {
  return {
    name,
    answer: (_, show, signal) =>
      waits.until<RuntimeReply>("another runtime", (next) => {
        const reply = replyFor(next, undefined, signal.aborted);
        if (reply === undefined) return undefined;
        if (reply.type === "aborted") show(reply.text);
        if (reply.type === "failure") {
          const { failure, partial } = reply;
          show(partial?.text ?? "");
          return { value: { type: "failure", failure } };
        }
        const usage = "usage" in reply && reply.usage !== undefined ? { usage: reply.usage } : {};
        const text = reply.type === "message" ? textOf(reply.message) : "";
        return { value: { type: "answer", text, ...usage } };
      }),
  };
}

/** The time at which the record's next fact was made, as far as our code asks. */
function clockOf({ course, waits }: Answering): Clock {
  return {
    elapsed: () => 0,
    now: () => {
      const next = course.nextOwn;
      if (next?.type === "retry-scheduled") return next.untilMs - next.delayMs;
      // A yes that was used was young enough, and one that had run out was not.
      return next?.type === "approval-expired" ? Infinity : Number.NaN;
    },
    sleep: (_, signal) =>
      signal.aborted
        ? Promise.resolve()
        : waits.until<void>(WAITING.sleep, () => (waits.has(WAITING.tool) ? undefined : { value: undefined })),
  };
}
