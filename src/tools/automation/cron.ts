import type { Job, JobBook } from "../../protocol/jobs.ts";
import type { Tool, ToolContext } from "../../protocol/tool.ts";
import { nextRun } from "../schedule/next-run.ts";
import { readSchedule, scheduleText } from "../schedule/schedule.ts";

/** What stands around the jobs of an agent. */
export interface CronOptions {
  /** Absent: nobody keeps running who could do them. */
  readonly jobs?: JobBook | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The time zone of the owner. */
  readonly zone: () => string;
  /** What in a text reads like an attack on whoever reads it; empty: nothing. */
  readonly threatsIn: (text: string) => Promise<readonly string[]>;
}

type Input = Readonly<Record<string, unknown>>;

/** nanobot §17.1: the name of a job that was given none. */
const NAME_CHARACTERS = 30;
const MOST_NAME = 80;
const MOST_PROMPT = 4_000;
/** Hermes §16: a time that has just passed was meant, ms. */
const GRACE_MS = 120_000;

/** Plans what the agent does by itself later (rows E9, H6). */
export function cronTool(options: CronOptions): Tool {
  return {
    name: "cron",
    toolset: "automation",
    description:
      "Plan something for later: you are given the prompt then, in this chat. Actions: add, list, remove. A schedule is " +
      '"30m" (once), "every 2h", five fields of cron such as "0 9 * * 1-5", or a time such as 2030-01-15T14:00. An answer ' +
      "that is [SILENT] alone is not sent.",
    parameters: {
      type: "object",
      properties: {
        action: { type: "string", enum: ["add", "list", "remove"] },
        prompt: { type: "string", description: "For add: what is to be done, in whole sentences." },
        schedule: { type: "string", description: "For add: when." },
        time_zone: { type: "string", description: "For add: such as Europe/Berlin. Default: that of the user." },
        name: { type: "string", description: "For add: a few words." },
        id: { type: "string", description: "For remove: as list names it." },
      },
      required: ["action"],
    },
    effect: "effect",
    concurrency: "exclusive",
    available: () => (options.jobs === undefined ? "no gateway runs here that could do it" : undefined),
    outlives: ({ action }) => action !== "list",
    async run(input, context) {
      const { jobs } = options;
      if (jobs === undefined) throw new Error("Nothing can be planned here: no gateway is running.");
      if (input["action"] === "list") return listed(await jobs.list());
      if (context.tainted !== undefined)
        throw new Error(
          `Nothing was changed: others' words were read in this session (${context.tainted}), and nobody can be asked.`,
        );
      return input["action"] === "remove" ? removed(jobs, input["id"]) : added(jobs, input, { options, context });
    },
  };
}

interface Around {
  readonly options: CronOptions;
  readonly context: ToolContext;
}

async function added(jobs: JobBook, input: Input, { options, context }: Around): Promise<string> {
  const { route, sessionId } = context;
  if (route === undefined)
    throw new Error("Nothing was planned: only what is asked for in a chat can be, since it is answered there.");
  if (jobs.isJob(sessionId)) throw new Error("Nothing was planned: a job does not plan others.");
  const prompt = await promptIn(input, options);
  const nowMs = options.now();
  const schedule = readSchedule(textIn(input, "schedule"), {
    nowMs,
    zone: textIn(input, "time_zone") || options.zone(),
  });
  if (schedule.type === "bad") throw new Error(`Nothing was planned. ${schedule.why}`);
  if (nextRun(schedule, nowMs - (schedule.type === "at" ? GRACE_MS : 0)) === undefined)
    throw new Error("Nothing was planned: that time is over, or never comes.");
  const name = (textIn(input, "name") || prompt).replaceAll(/[\p{C}\p{Z}]+/gu, " ");
  const shortName = name.slice(0, textIn(input, "name") === "" ? NAME_CHARACTERS : MOST_NAME).toWellFormed();
  return `Planned: ${line(await jobs.add({ name: shortName, prompt, schedule, sessionId, route }))}`;
}

async function promptIn(input: Input, { threatsIn }: CronOptions): Promise<string> {
  const prompt = textIn(input, "prompt");
  if (prompt === "") throw new Error("Nothing was planned: prompt says what is to be done.");
  if (prompt.length > MOST_PROMPT)
    throw new Error(`Nothing was planned: prompt has at most ${MOST_PROMPT} characters.`);
  const threats = await threatsIn(prompt);
  if (threats.length === 0) return prompt;
  throw new Error(`Nothing was planned: a prompt must not hold such words (${threats.join(", ")}).`);
}

const textIn = (input: Input, name: string): string => {
  const value = input[name];
  return typeof value === "string" ? value.trim() : "";
};

async function removed(jobs: JobBook, id: unknown): Promise<string> {
  const job = typeof id === "string" ? await jobs.remove(id.trim()) : undefined;
  if (job === undefined) throw new Error("There is no such job that can be removed: list names them.");
  return `Removed: ${line(job)}`;
}

const listed = (jobs: readonly Job[]): string =>
  jobs.length === 0 ? "Nothing is planned." : jobs.map(line).join("\n");

const line = ({ id, name, schedule, nextMs }: Job): string =>
  `${id}: ${name}, ${scheduleText(schedule)}, ${nextMs === undefined ? "not any more" : `next ${new Date(nextMs).toISOString()}`}`;
