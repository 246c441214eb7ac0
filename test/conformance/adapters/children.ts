import { delegateTaskTool, tasksIn } from "../../../src/tools/delegate-task.ts";
import { clarifyTool } from "../../../src/tools/clarify.ts";
import { memoryTool } from "../../../src/tools/memory.ts";
import { todoTool } from "../../../src/tools/todo.ts";
import { childTools } from "../../../src/session/children/narrow.ts";
import { CHILD_LIMITS } from "../../../src/session/children/caps.ts";
import { partialLines } from "../../../src/session/children/report.ts";
import type { Tool } from "../../../src/protocol/tool.ts";
import { endsWithParent } from "./stopped-child.ts";
import { isObject, type Json } from "../case-file.ts";
import { listOf, objectOf, textOf, textOrNone } from "../input.ts";

/** `{tool_events, error}`: what is told of a child that did not come to its end. */
export function subagentPartialCase(input: Json): unknown {
  const { tool_events: given, error } = objectOf(input, "input");
  const events = listOf(given, "tool_events").map((event) => {
    const { name, status, detail } = objectOf(event, "event");
    const isOk = textOf(status, "status") === "ok";
    return { name: textOf(name, "name"), status: isOk ? "ok" : "error", detail: textOrNone(detail) ?? "" } as const;
  });
  const lines = partialLines(events);
  const failed = lines.filter((line) => line.startsWith("Failed: "));
  const told = failed.length > 0 || typeof error !== "string" ? lines : [...lines, error];
  return {
    listed_ok: lines.flatMap((line) => /^- (.*?): /u.exec(line)?.[1] ?? []),
    mentions_failure: failed.length > 0,
    mentions_error: told.length > lines.length,
    non_empty: told.length > 0,
  };
}

/** What a parent of the name has, in our words. */
const lastingTool = memoryTool(() => Promise.reject(new Error("not opened here")));
const named = (name: string): Tool => ({ ...todoTool, name });

/** What is not about which tools a child has, and what tells it. */
export const subagentUnsupported = (input: Json): string | undefined => {
  const { parent, request, child_calls: calls, parent_event: event } = objectOf(input, "input");
  if (typeof calls === "string" || event === "interrupt") return undefined;
  if (isObject(parent) && (parent["tools"] !== undefined || parent["depth"] !== undefined)) return undefined;
  if (isObject(request) && request["cwd"] !== undefined) return undefined;
  return "needs more of a running child, a later part";
};

export async function subagentCase(input: Json): Promise<unknown> {
  const { parent, request, child_calls: calls, parent_event: event } = objectOf(input, "input");
  if (event === "interrupt") return (await endsWithParent()) ? "children dead within 1 s" : "children go on";
  if (typeof calls === "string") return callOf(calls);
  const { tools, depth } = objectOf(parent, "parent");
  if (typeof depth === "number")
    return childTools([delegateTaskTool], undefined, depth < CHILD_LIMITS.depth).length > 0 ? "allowed" : "denied";
  const asked = objectOf(request, "request");
  try {
    tasksIn({ goal: "x", ...asked, tools: [] });
  } catch {
    return "denied";
  }
  const names = (of: Json | undefined): readonly string[] =>
    listOf(of ?? [], "tools").map((name) => textOf(name, "tool"));
  const own = childTools(names(tools).map(named), names(asked["tools"]), false);
  return `tools=[${own.map(({ name }) => name).join(",")}]`;
}

/** What a parent has, of what a child may want to call. */
const PARENT: readonly Tool[] = [
  lastingTool,
  clarifyTool,
  delegateTaskTool,
  todoTool,
  { ...todoTool, name: "message" },
];
const OURS: Readonly<Record<string, string>> = {
  "memory.write": lastingTool.name,
  send_message: "message",
  spawn: delegateTaskTool.name,
};

/** A call of a tool that a child does not have is refused. */
const callOf = (name: string): string =>
  childTools(PARENT, undefined, CHILD_LIMITS.depth > 1).some((tool) => tool.name === (OURS[name] ?? name))
    ? "allowed"
    : "denied";

/** Refused is refused, whatever it was to be kept for; there is no grant. */
export const subagentExpectation = (expect: Json): Json =>
  typeof expect === "string" && /^(?:denied\b.*|quarantined)$/u.test(expect) ? "denied" : expect;
