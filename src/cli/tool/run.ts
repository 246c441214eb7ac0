import { randomUUID } from "node:crypto";
import { exitCode } from "../../protocol/exit.ts";
import { isObject } from "../../protocol/json.ts";
import type { ToolCallPart } from "../../protocol/message.ts";
import { reasonOf } from "../../protocol/reason-of.ts";
import { inBoth } from "../../protocol/sentence.ts";
import { type DiskTrace, FailedCall, type Inspection, type ToolContext, type ToolResult } from "../../protocol/tool.ts";
import { OWN_CALL } from "../../protocol/turn-files.ts";
import { spelledOut } from "../../session/plain-text.ts";
import type { Text } from "../../words/language.ts";
import { filesChangedBy } from "../../words/turn-files.ts";
import { needsYou, notOffered, showTool, TOOL_SAYS } from "../../words/tools.ts";
import type { Hands } from "../adapters.ts";
import { confirm } from "../confirm.ts";
import type { Asked, CommandContext } from "../context.ts";
import { forStdout, type Io, readAll, say, sayJson } from "../io.ts";
import { runnable } from "../next-steps.ts";
import { usageRefusal } from "../refusal.ts";
import type { RunForm } from "./commands.ts";
import { existingTool } from "./list.ts";
import { withHands } from "./place.ts";

interface Named {
  readonly tool: string;
  /** One JSON object, or `-`. */
  readonly given: string | undefined;
}

/** `evander tool run`: one call, looked at as one of a model. Returns the exit code. */
export async function runTool({ tool, given }: Named, context: CommandContext, form: RunForm): Promise<number> {
  const input = await readInput(given, form.arg ?? [], context.io);
  const run = async (hands: Hands): Promise<number> => {
    const { withheld } = existingTool(tool, hands);
    if (withheld !== undefined) throw usageRefusal(notOffered(tool, withheld));
    const call: ToolCallPart = { type: "tool-call", callId: randomUUID(), name: tool, input };
    await hands.port.ready?.();
    const sessionId = OWN_CALL + call.callId;
    const inspection = hands.port.inspect(call, { history: [], canAsk: true, byRules: true, sessionId });
    if (inspection.refuse !== undefined)
      throw usageRefusal(inEvery(spelledOut(inspection.refuse)), { steps: [showTool(tool)] });
    if (!(await allowed(inspection, { ...context.asked(form), yes: form.yes === true }))) {
      say(context.io.stderr, TOOL_SAYS.notRun[context.asked(form).language]);
      return exitCode("interrupted_by_user");
    }
    return runCall(call, inspection, hands, context.asked(form));
  };
  return withHands(context, form, run, "sessions");
}

/** What is said to models stands in English. */
const inEvery = (text: string): Text => ({ en: text, zh: text });

/** As the text that a model would have written. */
async function readInput(given: string | undefined, pairs: readonly string[], io: Io): Promise<string> {
  if (given !== undefined && pairs.length > 0) throw usageRefusal(TOOL_SAYS.bothArguments);
  if (given === undefined) return JSON.stringify(fromPairs(pairs));
  const text = given === "-" ? await readAll(io.stdin) : given;
  if (!isJsonObject(text)) throw usageRefusal(TOOL_SAYS.noArguments);
  return text;
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

/** Texts; what the tool takes says what is read in them. A name that comes again makes a list. */
function fromPairs(pairs: readonly string[]): Readonly<Record<string, unknown>> {
  const read = pairs.map((pair) => {
    const at = pair.indexOf("=");
    if (at < 1) throw usageRefusal(TOOL_SAYS.noArguments);
    return { name: pair.slice(0, at), value: pair.slice(at + 1) };
  });
  return Object.fromEntries(
    [...Map.groupBy(read, ({ name }) => name)].map(([name, values]) => [
      name,
      values.length === 1 ? values[0]?.value : values.map(({ value }) => value),
    ]),
  );
}

type Asking = Asked & { readonly yes: boolean };

/** Whoever says yes has seen what exactly would run. */
async function allowed({ ask, plan, rules }: Inspection, { io, language, yes }: Asking): Promise<boolean> {
  if (ask === undefined || rules !== undefined) return true;
  for (const line of plan?.shown ?? []) say(io.stderr, spelledOut(line));
  say(io.stderr, needsYou(spelledOut(ask))[language]);
  if (yes) return true;
  if (io.stdin.isTTY !== true) throw usageRefusal(TOOL_SAYS.nobody);
  return confirm(io, TOOL_SAYS.mayRun[language]);
}

async function runCall(call: ToolCallPart, inspection: Inspection, { port }: Hands, asked: Asked): Promise<number> {
  const { io } = asked;
  const stop = new AbortController();
  let source: "user" | "terminate" = "user";
  const unlisten = io.onSignal((signal) => {
    source = signal === "SIGINT" ? "user" : "terminate";
    stop.abort();
  });
  const ownId = OWN_CALL + call.callId;
  const context: ToolContext = {
    callId: call.callId,
    sessionId: ownId,
    turnId: ownId,
    history: [],
    ...permission(inspection),
    unasked: "rules",
    signal: stop.signal,
    output: () => undefined,
  };
  try {
    const result = await port.run(call, context);
    tellFiles(result.disk, ownId, asked);
    return told(result, asked);
  } catch (error) {
    if (error instanceof FailedCall) tellFiles(error.disk, ownId, asked);
    if (stop.signal.aborted) return exitCode("interrupted_by_user", { interruptedBy: source });
    return told({ text: reasonOf(error), failed: true }, asked, io.stderr);
  } finally {
    unlisten();
  }
}

/** By what it runs: a person's rules, or their yes to what was shown. */
function permission({ ask, plan, rules }: Inspection): Partial<ToolContext> {
  const by = rules === undefined ? ({ byPerson: true } as const) : ({ byRules: true } as const);
  return {
    ...(ask !== undefined && { approved: ask, ...by }),
    ...(plan !== undefined && { approvedPlan: plan.digest }),
  };
}

/** What it did to files, and how that is taken back. */
function tellFiles(disk: DiskTrace | undefined, ownId: string, { io, language }: Asked): void {
  const count = (disk?.changes.length ?? 0) + (disk?.more ?? 0);
  if (count > 0) say(io.stderr, filesChangedBy(count, runnable(`evander turn undo ${ownId}`, io.env))[language]);
  if (disk?.unkept !== undefined) say(io.stderr, inBoth(disk.unkept)[language]);
}

/** The text of a call that failed to run is for people; a result is a result, whatever it tells. */
function told(
  { text, images = [], failed = false }: Pick<ToolResult, "text" | "images"> & { readonly failed?: boolean },
  { io, json }: Asked,
  stream = io.stdout,
): number {
  if (json) sayJson(io, { text, failed, images: images.map(({ url }) => url) });
  else stream.write(`${forStdout({ stdout: stream }, text)}\n`);
  return failed ? exitCode("tool_error") : 0;
}
