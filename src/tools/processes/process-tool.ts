import { createHash } from "node:crypto";
import type { Verdict } from "../../protocol/approval.ts";
import type { Effect, ResultJudgement, Tool, ToolContext } from "../../protocol/tool.ts";
import type { Background } from "./background.ts";
import type { ProcessDesk } from "./desk.ts";
import type { Processes } from "./processes.ts";
import { named, shortOf, standing } from "./process-words.ts";

const ACTIONS = ["list", "poll", "log", "write", "wait", "kill"] as const;
type Action = (typeof ACTIONS)[number];

const EFFECT: Readonly<Record<Action, Effect>> = {
  list: "pure",
  poll: "pure",
  log: "pure",
  wait: "pure",
  kill: "idempotent",
  write: "effect",
};

// Seconds.
const USUAL_WAIT_S = 30;
const LONGEST_WAIT_S = 600;
/** Characters. */
const USUAL_PAGE = 20_000;
const LONGEST_PAGE = 50_000;

type Input = Readonly<Record<string, unknown>>;

/** Looks after what `terminal` started in the background. What is written to a process may be a command for it, so it asks. */
export function processTool(desk: ProcessDesk): Tool {
  return {
    name: "process",
    toolset: "terminal",
    description:
      "Look after what terminal started in the background. poll: state and new output; log: kept output from an offset; " +
      "write: text to its input (end a line with \\n); wait: until it ends or timeout_s; kill: end it with all it started. " +
      "You are told when one ends.",
    parameters: {
      type: "object",
      properties: {
        action: { type: "string", enum: [...ACTIONS] },
        id: { type: "string", description: "Such as p1; not for list." },
        text: { type: "string", description: "For write." },
        offset: { type: "integer", minimum: 0, description: "For log: first character." },
        limit: { type: "integer", minimum: 1, maximum: LONGEST_PAGE, description: "For log: characters." },
        timeout_s: {
          type: "number",
          minimum: 0,
          maximum: LONGEST_WAIT_S,
          description: `Default ${USUAL_WAIT_S}.`,
        },
      },
      required: ["action"],
      additionalProperties: false,
    },
    effect: (input) => EFFECT[actionOf(input)],
    concurrency: "shared",
    verdict,
    judge,
    run: async (input, context) => {
      const processes = await desk.open();
      if (actionOf(input) === "list") return listed(processes.of(context.sessionId));
      return act(find(processes, input, context), input, context);
    },
  };
}

const actionOf = ({ action }: Input): Action => ACTIONS.find((known) => known === action) ?? "write";

const WHY_WRITE = "What is written to a running program may be a command for it.";

function verdict(input: Input): Verdict {
  if (actionOf(input) !== "write") return { type: "auto" };
  const [id, text] = [String(input["id"]), String(input["text"])];
  const digest = createHash("sha256")
    .update(JSON.stringify(["process write", id, text]))
    .digest("hex");
  const shown = [`Written to the background process ${id}: ${JSON.stringify(text)}`];
  return { type: "ask", why: WHY_WRITE, plan: { digest, shown, parts: [{ why: WHY_WRITE, words: [] }] } };
}

function find(processes: Processes, { id }: Input, { sessionId }: ToolContext): Background {
  const known = processes.of(sessionId);
  if (typeof id !== "string") throw new Error(`Which process is not said: give an id. ${listed(known)}`);
  const found = processes.find(sessionId, id);
  if (found === undefined) throw new Error(`There is no background process ${id} in this session. ${listed(known)}`);
  return found;
}

function listed(all: readonly Background[]): string {
  if (all.length === 0) return "No background process was started in this session.";
  return all.map((process) => `${process.handle.id} ${stated(process)}: ${shortOf(process.handle.command)}`).join("\n");
}

const stated = (process: Background): string => standing(process, Date.now());

async function act(process: Background, input: Input, context: ToolContext): Promise<string> {
  switch (actionOf(input)) {
    case "log":
      return page(process, Number(input["offset"] ?? 0), Number(input["limit"] ?? USUAL_PAGE));
    case "write":
      return written(process, input["text"]);
    case "wait":
      await process.wait(Number(input["timeout_s"] ?? USUAL_WAIT_S) * 1_000, context.signal);
      return news(process);
    case "kill":
      return killed(process);
    default:
      return news(process);
  }
}

/** How it stands and what it has printed since this was asked last. */
function news(process: Background): string {
  const { from, text } = process.log.since(process.polled);
  const end = from + text.length;
  process.polled = end;
  if (process.past() !== undefined) process.isTold = true;
  const told = text.slice(-USUAL_PAGE).toWellFormed();
  const left = text.length - told.length;
  const before = left === 0 ? "" : `[… ${left} characters before this: process log from ${from} …]\n`;
  return `${named(process)} ${stated(process)}.\n${text === "" ? "(no new output)" : before + told}`;
}

function page(process: Background, offset: number, limit: number): string {
  const { from, text } = process.log.since(offset);
  const told = text.slice(0, limit).toWellFormed();
  const gone = from > offset ? ` (${from} is the first that is kept)` : "";
  const head = `${named(process)} ${stated(process)}. Characters ${from} to ${from + told.length} of ${process.log.total}${gone}:`;
  return `${head}\n${told === "" ? "(nothing)" : told}`;
}

function written(process: Background, text: unknown): string {
  if (typeof text !== "string" || text === "") throw new Error("There is no text to write: give text.");
  if (process.write(text)) return `Written to ${named(process)}. Poll it for what it makes of that.`;
  throw new Error(`Nothing was written: ${named(process)} ${stated(process)}, and takes no input.`);
}

async function killed(process: Background): Promise<string> {
  if (process.past() !== undefined) return news(process);
  const left = await process.end();
  if (left.length === 0) return news(process);
  const pids = left.map(({ pid }) => pid).join(", ");
  throw new Error(`${named(process)} was killed, but did not go away (pid ${pids}).`);
}

/** How long it has been running is no progress. */
const judge = (result: string): ResultJudgement => ({
  failed: false,
  substance: result.replaceAll(/(?:since|after) \d+\.\d s/gu, ""),
});
