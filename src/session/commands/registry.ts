import {
  COMMAND_SAYS,
  type CommandSays,
  COMMAND_WORDS,
  editsElsewhere,
  exported,
  HELP_END,
  modelFrom,
  modelNow,
  notExported,
  titleLimit,
} from "../../words/commands.ts";
import type { Language } from "../../words/language.ts";
import { TURN_FILES } from "../../words/turn-files.ts";
import { isNamed } from "../answer.ts";
import { denyAndStop } from "../deny-and-stop.ts";
import { oneLine } from "../plain-text.ts";
import { back, edit, fork, redo, retry, tree } from "./branches.ts";
import { cache, cost, picture, status, todo, why } from "./about-turn.ts";
import { MAX_TITLE, readTitle } from "../title.ts";
import type { Command, CommandContext, Surface } from "./command.ts";
import { compact } from "./compact.ts";
import { begin, resume, sessions } from "./sessions.ts";

const EVERYWHERE: readonly Surface[] = ["terminal", "channel"];

type Way = Pick<Command, "takes" | "bypass"> & Partial<Pick<Command, "aliases" | "where">>;

const command = (name: Command["name"], way: Way, run: Command["run"]): Command => ({
  name,
  aliases: [],
  where: EVERYWHERE,
  ...way,
  run,
});

const AT_ONCE = { takes: "nothing", bypass: true } as const;
/** It is a command of the program as well. */
const PROGRAM: Way = { takes: "optional", bypass: false, where: ["terminal"] };
const OF_FILES: Way = { takes: "nothing", bypass: true, where: ["terminal"] };
const WHEN_IDLE = { takes: "nothing", bypass: false } as const;

/** Every slash command there is. Those that bypass are done while a turn runs; the others wait for its end. */
export const COMMANDS: readonly Command[] = [
  command("help", { takes: "optional", bypass: true, aliases: ["?"] }, help),
  command("stop", { takes: "optional", bypass: true }, (context, text) => {
    if (!context.stop(text)) says(context, "nothingRuns");
  }),
  command("steer", { takes: "text", bypass: true }, (context, text) => context.steer(text)),
  command("queue", { takes: "text", bypass: true }, (context, text) => context.queue(text)),
  command("redirect", { takes: "text", bypass: true }, (context, text) => context.redirect(text)),
  command("approve", { takes: "optional", bypass: true }, (context, text) => decide(context, text, true)),
  command("deny", { takes: "optional", bypass: true }, (context, text) => decide(context, text, false)),
  command("retry", WHEN_IDLE, retry),
  command("edit", { takes: "optional", bypass: false, where: ["terminal"] }, edit),
  command("back", { takes: "optional", bypass: false }, back),
  command("redo", WHEN_IDLE, redo),
  command("fork", { takes: "optional", bypass: false }, fork),
  command("tree", AT_ONCE, tree),
  command("why", AT_ONCE, why),
  command("turn", AT_ONCE, picture),
  command("cost", { ...AT_ONCE, aliases: ["usage"] }, cost),
  command("cache", AT_ONCE, cache),
  command("diff", OF_FILES, (context) => ofLastTurn(context, "diff")),
  command("files", OF_FILES, (context) => ofLastTurn(context, "diff", "--stat")),
  command("undo", { takes: "optional", bypass: false, where: ["terminal"] }, undo),
  command("status", AT_ONCE, status),
  command("todo", AT_ONCE, todo),
  command("tools", AT_ONCE, tools),
  command("model", { takes: "optional", bypass: false }, model),
  command("new", { ...WHEN_IDLE, aliases: ["clear"] }, begin),
  command("resume", { takes: "optional", bypass: false }, resume),
  command("sessions", AT_ONCE, sessions),
  command("skills", { takes: "optional", bypass: true, where: ["terminal"] }, (context, text) =>
    context.program(["skill", ...(text === "" ? ["list"] : ["show", ...wordsOf(text)])]),
  ),
  command("compact", { takes: "optional", bypass: false }, compact),
  command("title", { takes: "text", bypass: false }, title),
  command("export", { takes: "text", bypass: false, where: ["terminal"] }, exportSession),
  command("config", PROGRAM, (context, text) => manage(context, ["config", "show"], text)),
  command("memory", PROGRAM, (context, text) => manage(context, ["memory", "list"], text)),
  command("doctor", PROGRAM, (context, text) => context.program(["doctor", ...wordsOf(text)])),
  command("quit", { ...WHEN_IDLE, aliases: ["exit", "q"], where: ["terminal"] }, (context) => context.leave()),
];

const says = ({ tell, language }: CommandContext, what: CommandSays): void => tell(COMMAND_SAYS[what][language]);

/** How a command is written, and what it does. */
function helpLine({ name, aliases }: Command, language: Language): string {
  const { takes, meaning } = COMMAND_WORDS[name];
  const written = [`/${name}`, takes[language]].filter((part) => part !== "").join(" ");
  const also = aliases.length === 0 ? "" : ` (${aliases.map((alias) => `/${alias}`).join(" ")})`;
  return `${written}  ${meaning[language]}${also}`;
}

function help({ surface, language, tell }: CommandContext, asked: string): void {
  const name = asked.replace(/^\//u, "").toLowerCase();
  const here = COMMANDS.filter(({ where }) => where.includes(surface));
  const named = here.filter((each) => each.name === name || each.aliases.includes(name));
  for (const each of named.length > 0 ? named : here) tell(helpLine(each, language));
  if (named.length === 0 && surface === "terminal") for (const line of HELP_END) tell(line[language]);
}

/** All that waits, or the one that is named by its id; behind it how far a yes reaches, or that a no stops the turn. */
async function decide(context: CommandContext, text: string, allow: boolean): Promise<void> {
  const words = wordsOf(text);
  const last = (allow ? SCOPES : ["stop"]).find((word) => word === words.at(-1));
  const [asked = ""] = last === undefined ? words : words.slice(0, -1);
  const lane = await context.lane();
  const named = lane.asked.filter((call) => asked === "" || isNamed(call, asked));
  if (named.length === 0) return says(context, "nothingWaits");
  const ids = named.map(({ approvalId }) => approvalId);
  if (!allow && last === "stop") return denyAndStop(lane, ids);
  const scope = SCOPES.find((each) => allow && each === last);
  const once = scope === undefined ? [] : named.filter((call) => lane.wouldLearn(call).length === 0);
  for (const id of ids) await lane.approve(id, allow, scope);
  if (once.length > 0) says(context, "noRule");
}

const SCOPES = ["session", "always"] as const;

function tools(context: CommandContext): void {
  if (context.tools.length === 0) says(context, "noTools");
  for (const { name, description } of context.tools) context.tell(`${name}  ${oneLine(firstSentence(description))}`);
}

/** `usual`: what the group does alone. An editor of its own would need the terminal that this conversation has. */
async function manage(
  { program, tell, language }: CommandContext,
  [group, usual]: readonly [group: string, usual: string],
  text: string,
): Promise<void> {
  const [verb = usual, ...more] = wordsOf(text);
  if (verb === "edit") tell(editsElsewhere(`evander ${[group, verb, ...more].join(" ")}`)[language]);
  else await program([group, verb, ...more]);
}

/** Of the turn that runs or ran last here, not of a newer one elsewhere. */
async function ofLastTurn({ program, turnId, tell, language }: CommandContext, ...words: string[]): Promise<void> {
  const [verb = "", ...flags] = words;
  if (turnId === undefined) tell(COMMAND_SAYS.noTurn[language]);
  else await program(["turn", verb, turnId, ...flags]);
}

/** Files first: what was said stays said, and the model is told of it with the next message. */
async function undo(context: CommandContext, text: string): Promise<void> {
  const isMeant = /^(?:-y|--yes)$/u.test(text);
  await ofLastTurn(context, "undo", isMeant ? "--yes" : "--dry-run");
  if (!isMeant && context.turnId !== undefined) context.tell(TURN_FILES.wouldUndo[context.language]);
}

const wordsOf = (text: string): string[] => text.split(/\s+/u).filter((word) => word !== "");

async function title({ store, sessionId, language, tell }: CommandContext, asked: string): Promise<void> {
  const read = readTitle(asked);
  switch (read.type) {
    case "blank":
      return tell(COMMAND_SAYS.noTitle[language]);
    case "too-long":
      return tell(titleLimit(MAX_TITLE, read.characters)[language]);
    case "title":
      return tell(COMMAND_SAYS[(await store.rename(sessionId, read.title)) ? "titled" : "noMessage"][language]);
  }
}

async function exportSession(context: CommandContext, file: string): Promise<void> {
  const { store, sessionId, exportTo, language, tell } = context;
  if (store.history(sessionId) === undefined) return tell(COMMAND_SAYS.noMessage[language]);
  const why = await exportTo(file);
  tell((why === undefined ? exported(file) : notExported(file, why))[language]);
}

const firstSentence = (text: string): string => /^.*?[.!?](?=\s|$)/su.exec(text)?.[0] ?? text;

async function model(context: CommandContext, asked: string): Promise<void> {
  const { language, tell } = context;
  if (asked === "") return tell(modelNow(context.model.name, context.model.provider)[language]);
  const [name = "", provider] = wordsOf(asked);
  const answer = await context.useModel(name, provider);
  tell(typeof answer === "string" ? answer : modelFrom(answer.name, answer.provider)[language]);
}
