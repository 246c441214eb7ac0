import type { InterruptSource } from "../protocol/exit.ts";
import type { ProviderAnswer } from "../protocol/provider.ts";
import type { TurnResult } from "../protocol/result.ts";
import { StoreError } from "../protocol/store.ts";
import { readInput } from "../session/input.ts";
import type { Lane } from "../session/lane.ts";
import { oneLine, printable } from "../session/plain-text.ts";
import { refusalResult, storeRefusal } from "../session/result.ts";
import type { Turn } from "../session/turn.ts";
import type { Adapters, Runtime } from "./adapters.ts";
import { askApprovals, mayAsk } from "./approvals.ts";
import { type Flags, languageFor } from "./flags.ts";
import { wordsIn } from "../words/language.ts";
import { InputLines } from "./input-lines.ts";
import { type Io, say } from "./io.ts";
import { flagWords, inConversation, runnable, stepLine, withFlags } from "./next-steps.ts";
import { endLines } from "./output.ts";
import { configOf, diagnosticLog, guardedFolders, modelAsked, workingFolder } from "./set-up.ts";
import { existingSession, providerRefusal, RefusalError } from "./refusal.ts";
import { Screen } from "./screen.ts";
import { toolNames } from "./tool-choice.ts";

interface Chat {
  readonly flags: Flags;
  readonly io: Io;
  readonly adapters: Adapters;
}

/** `evander`: a line in, the answer streamed, until the input ends. Without a model it opens with the practice model. */
export async function chat({ flags, io, adapters }: Chat, first: string): Promise<number> {
  const cwd = workingFolder(flags, io);
  const attended = io.stdin.isTTY === true;
  const config = await configOf(flags, io, { cwd, attended });
  const { settings } = config;
  const search = await adapters.findModel(modelAsked(config, io, cwd));
  // Whoever named a server wants that one: the practice model is no stand-in for it.
  if (search.type === "none" && search.cause !== "no_provider") throw new RefusalError(providerRefusal(search));
  const store = await adapters.openStore({ folder: config.store, ...settings });
  const sessionId = flags.resume === undefined ? adapters.newSessionId() : existingSession(store, flags.resume);
  const model = search.type === "none" ? ({ type: "practice" } as const) : search;
  const runtime = await adapters.openRuntime({
    model,
    store,
    settings,
    cwd,
    guarded: guardedFolders(io, config, cwd),
    approvals: settings.approve ?? (attended ? "ask" : "never"),
    attended,
    tools: toolNames(flags),
    log: diagnosticLog(flags, io),
    language: languageFor(flags, io.env),
  });
  try {
    for (const line of greeting(search, cwd, io.env)) say(io.stderr, printable(line));
    for (const { message } of runtime.warnings) say(io.stderr, printable(wordsIn(message, languageFor(flags, io.env))));
    if (flags.resume !== undefined && (await runtime.sessions.lane(sessionId)).unfinished)
      say(
        io.stderr,
        unfinishedNotice(sessionId, model.type === "practice" ? { model: "practice", ...flags } : flags, io.env),
      );
    return await new Conversation({ io, flags, runtime, sessionId }).run(first);
  } finally {
    await runtime.close();
  }
}

function greeting(search: ProviderAnswer, cwd: string, env: NodeJS.ProcessEnv): string[] {
  const leave = "A line is a message; Ctrl-C stops a turn, Ctrl-D or /exit leaves, /help says more.";
  switch (search.type) {
    case "found":
      return [`evander · ${search.provider} · ${search.model} (from ${search.source}) · ${cwd}`, leave];
    case "practice":
      return [`evander · practice model · ${cwd}`, leave];
    case "none":
      return [
        search.message,
        "This is the practice model: a small rule-based program, no language model. It works on the files of this folder.",
        ...search.next.filter((step) => step.do !== "practice").map((step) => `  ${stepLine(step, env)}`),
        leave,
      ];
  }
}

function unfinishedNotice(sessionId: string, flags: Parameters<typeof flagWords>[0], env: NodeJS.ProcessEnv): string {
  const command = runnable(`evander session resume ${sessionId} --continue${flagWords(flags)}`, env);
  return `This session has an unfinished turn: a new message closes it; this goes on with it: ${command}`;
}

const HELP = [
  "/help  this list",
  "/stop [message]  stop the turn and deny what it asks, as Ctrl-C does; then answer the message",
  "/steer message  tell the turn that runs something; it reads it with the next tool result",
  "/redirect message  correct the turn that runs: what the model is just saying is dropped, and it is asked again",
  "/exit  leave; so does Ctrl-D",
  'A message that begins with such a word: put a space in front of the "/".',
];

/** A line that is no message: a slash and a word. A path has more slashes. */
const COMMAND = /^\/([A-Za-z-]+)(?:\s+(.*))?$/su;

/** Words for the turn that runs. Where none runs they are a message. */
const TO_TURN: ReadonlySet<string | undefined> = new Set(["steer", "redirect"]);

interface ConversationOptions {
  readonly io: Io;
  readonly flags: Flags;
  readonly runtime: Runtime;
  readonly sessionId: string;
}

/** The lines of one person or pipe, one at a time, each a turn. */
class Conversation {
  private readonly options: ConversationOptions;
  private readonly lines: InputLines;
  private readonly screen: Screen;
  private lane: Lane | undefined;
  /** The turn that runs or ran last. */
  private turn: Turn | undefined;
  /** What a turn left over, or was told too late: messages that come before any line. */
  private readonly next: string[] = [];
  /** A line is being answered. */
  private answering = false;
  /** What was pressed or sent while this line is answered; it holds also for a turn that has not begun yet. */
  private stopped: InterruptSource | undefined;
  /** Said with the stop: the next message. */
  private instead: string | undefined;
  /** Of the first turn that did not end well. */
  private firstTrouble = 0;
  /** Why the conversation ends before its input does. */
  private leaving: "SIGINT" | "SIGTERM" | undefined;

  constructor(options: ConversationOptions) {
    this.options = options;
    this.screen = new Screen(options.io, true);
    this.lines = new InputLines(options.io, {
      urgent: (line) => this.isForTurn(line),
      interrupted: () => this.signal("SIGINT"),
      queued: (line) => this.screen.status(`queued: ${oneLine(line)}`),
      ended: () => this.tellEnd(),
    });
  }

  async run(first: string): Promise<number> {
    const unlisten = this.options.io.onSignal((signal) => this.signal(signal));
    try {
      let line = first === "" ? await this.lines.next() : first;
      for (; line !== undefined && this.leaving === undefined; line = await this.lines.next()) {
        await this.take(line);
        for (let text = this.next.shift(); text !== undefined; text = this.next.shift()) await this.send(text);
      }
    } finally {
      unlisten();
      this.lines.close();
    }
    if (this.leaving === "SIGTERM") return 143;
    if (this.lines.attended) return 0;
    return this.leaving === "SIGINT" ? 130 : this.firstTrouble;
  }

  /** SIGTERM ends the conversation, as SIGINT does where nobody is there or nothing runs; else it stops the turn. */
  private signal(signal: "SIGINT" | "SIGTERM"): void {
    const leaves = signal === "SIGTERM" || !this.lines.attended || !this.answering;
    this.tellUnsent([...this.next.splice(0), ...this.lines.drop()]);
    if (leaves) {
      this.leaving ??= signal;
      this.lines.close();
    }
    this.stopped ??= signal === "SIGTERM" ? "terminate" : "user";
    this.interrupt();
    this.lines.lookAgain();
  }

  private interrupt(): void {
    if (this.stopped === undefined || this.lane?.running === undefined) return;
    const said = this.instead;
    this.instead = undefined;
    this.lane.interrupt(this.stopped, said).catch((error: unknown) => this.screen.status(`evander: ${String(error)}`));
  }

  /** A word typed by somebody who sees the turn run; in a pipe it waits for its place like every line. */
  private isForTurn(line: string): boolean {
    const [, name, text = ""] = COMMAND.exec(line) ?? [];
    if (!this.answering || !this.lines.attended) return false;
    if (name === "stop") {
      this.instead = text;
      this.signal("SIGINT");
      return true;
    }
    if (!TO_TURN.has(name) || readInput(text).type === "blank") return false;
    const told = name === "steer" ? this.turn?.steer(text) : this.turn?.redirect(text);
    (told ?? Promise.resolve(false))
      .then((taken) => this.tellTaken(text, taken))
      .catch((error: unknown) => this.screen.status(`evander: ${String(error)}`));
    return true;
  }

  private tellTaken(text: string, taken: boolean): void {
    if (!taken) this.next.push(text);
    this.screen.status(`${taken ? "told" : "queued"}: ${oneLine(text)}`);
  }

  private tellUnsent(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const count = lines.length === 1 ? "1 line" : `${lines.length} lines`;
    this.screen.status(`${count} ${lines.length === 1 ? "was" : "were"} not sent:`);
    for (const line of lines) this.screen.status(`  ${printable(line)}`);
  }

  private tellEnd(): void {
    if (this.lines.attended && this.answering && this.leaving === undefined)
      this.screen.status("The input has ended: leaving after this turn.");
  }

  private async take(line: string): Promise<void> {
    const [, command, rest = ""] = COMMAND.exec(line) ?? [];
    if (command === undefined) return this.send(line);
    return TO_TURN.has(command) && rest !== "" ? this.send(rest) : this.command(command);
  }

  private async send(text: string): Promise<void> {
    const input = readInput(text);
    if (input.type === "blank") return;
    this.stopped = undefined;
    this.answering = true;
    const code = await this.answer(input.text);
    this.answering = false;
    if (this.firstTrouble === 0) this.firstTrouble = code;
  }

  private command(name: string): void {
    if (name === "exit") {
      this.tellUnsent(this.lines.drop());
      return this.lines.close();
    }
    if (name === "stop") return say(this.options.io.stderr, "Nothing runs.");
    if (TO_TURN.has(name)) return say(this.options.io.stderr, `/${name} needs words behind it.`);
    if (name !== "help") say(this.options.io.stderr, `There is no /${name}. There are:`);
    for (const line of HELP) say(this.options.io.stderr, line);
  }

  /** Returns the exit code of the turn. */
  private async answer(text: string): Promise<number> {
    const { runtime, sessionId, flags, io } = this.options;
    try {
      const lane = await runtime.sessions.lane(sessionId);
      this.lane = lane;
      this.screen.watch(lane);
      this.turn = await runtime.sessions.start(sessionId, text);
      this.interrupt();
      return this.end(await this.show(this.turn, lane));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return this.end(refusalResult(storeRefusal(error, sessionId), languageFor(flags, io.env)));
    }
  }

  private async show(turn: Turn, lane: Lane): Promise<TurnResult> {
    for await (const event of turn) {
      this.screen.event(event);
      if (mayAsk(event)) await askApprovals(lane, this.lines, (line) => this.screen.status(line));
    }
    return turn.result;
  }

  private end(result: TurnResult): number {
    const { io, flags } = this.options;
    this.screen.done();
    const goesOn = this.lines.attended && this.leaving === undefined;
    const shown = withFlags(goesOn ? inConversation(result) : result, flags, io.env);
    for (const line of endLines(shown, io.env)) say(io.stderr, line);
    this.goOn(result);
    return result.exit.code;
  }

  /** What was said to the turn and not heard is said next; whoever stopped it may not want that any more. */
  private goOn({ pendingSteer, interruptMessage, interrupted }: TurnResult): void {
    const told = interrupted || this.leaving !== undefined;
    if (told) this.tellUnsent(pendingSteer);
    if (interruptMessage !== null) this.next.push(interruptMessage);
    if (!told) this.next.push(...pendingSteer);
  }
}
