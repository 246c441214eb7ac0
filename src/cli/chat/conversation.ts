import { join } from "node:path";
import { rootFolders } from "../../config/folders.ts";
import type { NamedModel } from "../../config/model-asked.ts";
import type { TurnResult } from "../../protocol/result.ts";
import { StoreError } from "../../protocol/store.ts";
import type { Command, CommandContext } from "../../session/commands/command.ts";
import { COMMANDS } from "../../session/commands/registry.ts";
import { type Resolution, resolveCommand } from "../../session/commands/resolve.ts";
import { oneLine } from "../../session/plain-text.ts";
import { leftTurn, whyLeft } from "../../session/unfinished.ts";
import { AGENT, CHAT_SAYS, ignoredKeys, YOU } from "../../words/chat.ts";
import { REFUSED_COMMAND } from "../../words/commands.ts";
import { type Language, wordsIn } from "../../words/language.ts";
import type { SetupChoice } from "../../words/setup.ts";
import { History } from "../editor/history.ts";
import { InputLines } from "../editor/input-lines.ts";
import type { Flags } from "../flags.ts";
import type { Signal } from "../io.ts";
import { RefusalError } from "../refusal.ts";
import { Screen } from "../screen/screen.ts";
import type { Surface } from "../screen/surface.ts";
import { closingLines, resumeLine, unfinishedLine } from "./closing.ts";
import { complete } from "./complete.ts";
import { CurrentModel, shownFlags } from "./current-model.ts";
import { LineQueue } from "./line-queue.ts";
import { LookBack } from "./look-back.ts";
import { Messages } from "./messages.ts";
import { type Chat, chosenLine, chosenSetup, greeting, type Opened } from "./opening.ts";
import { runOwnCommand } from "./own-command.ts";
import { exportTo, runProgram } from "./own-program.ts";
import { TurnRunner } from "./turn-runner.ts";
import { Voice } from "./voice.ts";

export interface ConversationOptions {
  readonly chat: Chat;
  readonly surface: Surface;
  readonly language: Language;
  readonly opening: Promise<Opened>;
}

/** A second Ctrl-C within this time leaves, ms. */
const AGAIN_MS = 2_000;

/** What goes on, besides waiting for a line. */
type Work =
  | { readonly type: "turn" }
  /** A command of the person; `stop` ends it. */
  | { readonly type: "command"; readonly stop: AbortController };

/** A line as it is taken. */
type Line =
  | Resolution<Command>
  /** What a person runs. */
  | { readonly type: "own"; readonly command: string };

/** The lines of one person or pipe, each a turn or a command. */
export class Conversation {
  private readonly chat: Chat;
  private readonly surface: Surface;
  private readonly voice: Voice;
  private readonly lines: InputLines;
  private readonly runner: TurnRunner;
  private readonly queue: LineQueue;
  private readonly current: CurrentModel;
  private readonly messages: Messages;
  private readonly lookBack: LookBack;
  private sessionId = "";
  private work: Work | undefined;
  private pressedMs = -Infinity;
  /** Of the first turn that did not end well. */
  private firstTrouble = 0;
  /** Why the conversation ends before its input does. */
  private leaving: Signal | "quit" | undefined;
  /** Nobody waits for the turn any more. */
  private readonly gone = Promise.withResolvers<undefined>();

  constructor({ chat, surface, language, opening }: ConversationOptions) {
    this.chat = chat;
    this.surface = surface;
    const voice = new Voice(surface, language);
    this.voice = voice;
    const isBusy = (): boolean => this.work !== undefined;
    this.queue = new LineQueue(voice, isBusy);
    this.lookBack = new LookBack({ voice, isBusy, proposals: chat.proposals });
    this.current = new CurrentModel({ chat, voice, opening, greet: (opened) => this.greet(opened) });
    const { io } = chat;
    this.lines = new InputLines({
      io,
      surface,
      history: new History(join(rootFolders(io).state, "history")),
      plainPrompt: YOU[language],
      events: {
        typed: (line) => this.typed(line),
        early: (line) => this.queue.wait(line),
        interrupted: () => this.press("SIGINT"),
        ended: () => this.tellEnd(),
        ignored: (text) => voice.say(ignoredKeys(oneLine(text))),
        takeBack: () => this.queue.takeLast(),
        complete,
      },
    });
    const tellsWaits = this.lines.attended && !surface.live;
    const mark = tellsWaits ? AGENT[language] : "";
    const screen = new Screen({ io, surface, language, streams: true, tellsWaits, mark });
    const { lines, queue, current } = this;
    this.runner = new TurnRunner({ screen, lines, voice, env: io.env, steer: (text) => this.messages.steer(text) });
    this.messages = new Messages({ chat, voice, lines, queue, current, turn: () => this.runner.turn });
  }

  async run(first: string): Promise<number> {
    const unlisten = this.chat.io.onSignal((signal) => this.press(signal));
    try {
      if (first !== "") this.queue.first(first);
      // A terminal whose rows are redrawn shows its prompt first; elsewhere the order of lines is for good.
      const opening = this.current.open();
      opening.catch(() => this.lines.close());
      if (!this.surface.live) await opening;
      for (let line = await this.nextLine(); line !== undefined; line = await this.nextLine()) await this.take(line);
      await opening;
      await this.closeSession();
      this.sayGoodbye();
    } finally {
      unlisten();
      this.lines.close();
      await this.current.close();
    }
    return this.code();
  }

  private code(): number {
    if (this.leaving === "SIGTERM") return 143;
    if (this.leaving === "SIGHUP") return 129;
    if (this.leaving === "SIGINT") return this.lines.attended && this.work === undefined ? 0 : 130;
    return this.lines.attended ? 0 : this.firstTrouble;
  }

  private async nextLine(): Promise<string | undefined> {
    if (this.leaving !== undefined) return undefined;
    const line = this.queue.take() ?? (await this.lines.next());
    if (line === undefined || this.leaving !== undefined) return undefined;
    await this.current.open();
    return line;
  }

  private greet({ store, ...opened }: Opened): void {
    const { flags } = this.current;
    const { resume } = flags;
    this.sessionId = opened.sessionId ?? this.chat.adapters.newSessionId();
    for (const line of greeting(opened, this.about())) this.voice.tell(line);
    for (const { message } of opened.runtime.warnings) this.voice.say(message);
    const left = resume === undefined ? undefined : leftTurn(store, this.sessionId);
    if (left === undefined) return;
    this.voice.say(whyLeft(left, Date.now()));
    this.voice.tell(unfinishedLine(this.sessionId, shownFlags(flags, opened), this.about()));
  }

  private about(): { readonly env: NodeJS.ProcessEnv; readonly language: Language } {
    return { env: this.chat.io.env, language: this.voice.language };
  }

  /** Whoever is told to end, or cannot be told anything, does not wait. */
  private async closeSession(): Promise<void> {
    const { opened } = this.current;
    const isAsked = this.leaving === "SIGTERM" || this.leaving === "SIGHUP" || this.work !== undefined;
    if (isAsked || !this.lines.attended || opened === undefined) return;
    this.lines.close();
    await this.lookBack.close(opened.runtime, this.sessionId, (run) => this.whileStoppable(run));
  }

  private sayGoodbye(): void {
    const { lane, turnId } = this.runner;
    const { opened } = this.current;
    if (turnId === undefined || !this.lines.attended || opened === undefined) return;
    const flags = shownFlags(this.current.flags, opened);
    this.voice.tell(resumeLine(this.sessionId, { ...this.about(), flags, unfinished: lane?.unfinished === true }));
  }

  /** SIGTERM and a closed terminal end the conversation, as SIGINT does where nobody is there. */
  private press(signal: Signal): void {
    if (signal !== "SIGINT" || !this.lines.attended) return this.leave(signal);
    if (this.work === undefined) return this.pressIdle();
    this.pressedMs = performance.now();
    const again = this.work.type === "turn" ? this.runner.stopped : this.work.stop.signal.aborted;
    if (again) {
      this.leave("SIGINT");
      return this.gone.resolve(undefined);
    }
    this.queue.drop();
    this.stopWork("user");
  }

  private pressIdle(): void {
    const now = performance.now();
    if (now - this.pressedMs < AGAIN_MS) return this.leave("SIGINT");
    this.pressedMs = now;
    this.voice.say(CHAT_SAYS.again);
  }

  private leave(why: Signal | "quit"): void {
    this.leaving ??= why;
    this.queue.drop(this.lines.drop());
    this.lines.close();
    if (why !== "quit") this.stopWork(why === "SIGINT" ? "user" : "terminate");
  }

  private stopWork(by: "user" | "terminate", said?: string): void {
    if (this.work?.type === "turn") this.runner.stop(by, said);
    else this.work?.stop.abort();
    this.lines.lookAgain();
  }

  private stop(message: string): boolean {
    if (this.work === undefined) return false;
    this.queue.drop();
    if (this.work.type === "command" && message !== "") this.queue.first(message);
    this.stopWork("user", message);
    return true;
  }

  private tellEnd(): void {
    if (this.lines.attended && this.work !== undefined && this.leaving === undefined)
      this.voice.say(CHAT_SAYS.inputEnded);
  }

  /** Somebody who sees what goes on says something: words steer, priority commands are done, the rest waits. */
  private typed(line: string): void {
    const read = this.read(line);
    const { opened } = this.current;
    if (read.type === "refused") this.voice.follow(this.loadSkill(line, read, () => this.queue.wait(line)));
    else if (read.type === "command" && read.command.bypass && opened !== undefined)
      this.voice.follow(this.command(read.command, read.text));
    else if (read.type === "message" && this.runner.turn !== undefined) this.voice.follow(this.messages.steer(line));
    else this.queue.wait(line);
  }

  /** Only a person at a terminal runs commands of their own: a pipe may hold anybody's text. */
  private read(line: string): Line {
    const command = line.startsWith("!") && this.lines.attended ? line.slice(1).trim() : "";
    return command === "" ? resolveCommand(line, COMMANDS) : { type: "own", command };
  }

  private async take(line: string): Promise<void> {
    this.pressedMs = -Infinity;
    const choice = this.lines.attended ? chosenSetup(line, this.current.opened?.search) : undefined;
    if (choice !== undefined) return this.choose(choice);
    const read = this.read(line);
    switch (read.type) {
      case "message":
        return this.send(line);
      case "command":
        return this.whileStoppable((signal) => this.command(read.command, read.text, signal));
      case "refused":
        return this.loadSkill(line, read, (message) => this.send(message));
      case "own":
        return this.runOwn(read.command);
    }
  }

  /** What is no command may be a skill: `/name words` is `$name words`, which loads it. */
  private async loadSkill(
    line: string,
    read: Extract<Line, { type: "refused" }>,
    take: (message: string) => Promise<void> | void,
  ): Promise<void> {
    const name = read.said.toLowerCase();
    const isName = name !== "" && (read.cause === "unknown" || read.cause === "ambiguous");
    const names = isName ? await (await this.current.open()).runtime.skills() : [];
    return names.includes(name) ? take(line.replace(/^\/\S+/u, `$$${name}`)) : this.refuse(read);
  }

  private refuse({ cause, said, nearest }: Extract<Line, { type: "refused" }>): void {
    this.voice.say(REFUSED_COMMAND[cause](oneLine(said), nearest.map((name) => `/${name}`).join(", ")));
  }

  private async command(command: Command, text: string, signal?: AbortSignal): Promise<void> {
    try {
      const context = this.context(await this.current.open());
      // Nothing goes on but what was typed meanwhile, or the command itself.
      const alone = signal !== undefined && { signal, stop: () => false };
      await command.run({ ...context, ...alone }, text);
    } catch (error) {
      if (error instanceof RefusalError) this.voice.tell(wordsIn(error.refusal.message, this.voice.language));
      else if (error instanceof StoreError) this.voice.tell(`evander: ${wordsIn(error.sentence, this.voice.language)}`);
      else throw error;
    }
    this.lines.lookAgain();
  }

  private async send(line: string): Promise<void> {
    const message = await this.messages.prepare(line);
    if (message === undefined) return;
    const { runtime } = await this.current.open();
    const { sessions } = runtime;
    this.lookBack.follow(runtime);
    this.work = { type: "turn" };
    const running = this.runner.run({ sessions, sessionId: this.sessionId, ...message });
    const result = await Promise.race([running, this.gone.promise]);
    if (result === undefined) return;
    this.end(result);
    this.work = undefined;
    this.lookBack.tell();
  }

  private end(result: TurnResult): void {
    const goesOn = this.lines.attended && this.leaving === undefined;
    const { flags, opened } = this.current;
    for (const line of closingLines(result, { ...this.about(), flags, model: opened?.model, goesOn }))
      this.surface.line(result.ok ? this.surface.dim(line) : line);
    this.goOn(result);
    if (this.firstTrouble === 0) this.firstTrouble = result.exit.code;
  }

  /** What was said to the turn and not heard is said next; whoever stopped it may not want that any more. */
  private goOn({ pendingSteer, interruptMessage, interrupted }: TurnResult): void {
    const told = interrupted || this.leaving !== undefined;
    if (told) this.voice.unsent(pendingSteer);
    if (interruptMessage !== null) this.queue.first(interruptMessage);
    if (!told) this.queue.first(...pendingSteer);
  }

  private async runOwn(command: string): Promise<void> {
    const { runtime } = await this.current.open();
    const run = (signal: AbortSignal): ReturnType<typeof runOwnCommand> =>
      runOwnCommand(command, { runtime, surface: this.surface, signal });
    this.messages.note(await this.whileStoppable(run));
  }

  private async whileStoppable<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    this.work = { type: "command", stop };
    const done = await run(stop.signal);
    this.work = undefined;
    this.lookBack.tell();
    return done;
  }

  /** A local server may have been started meanwhile; the other choices are made outside. */
  private async choose(choice: SetupChoice): Promise<void> {
    this.voice.tell(chosenLine(choice, this.about()));
    if (choice.do !== "local-server") return;
    const found = await this.reopen(this.current.flags);
    const opened = await this.current.open();
    this.voice.tell(typeof found === "string" ? found : (greeting(opened, this.about())[0] ?? ""));
  }

  private async reopen(flags: Flags, named?: NamedModel): ReturnType<CommandContext["useModel"]> {
    const found = await this.current.reopen(flags, named);
    if (typeof found !== "string") this.runner.forget();
    return found;
  }

  private context({ store, runtime, model, cwd }: Opened): CommandContext {
    const { voice, runner, sessionId } = this;
    return {
      surface: "terminal",
      language: voice.language,
      store,
      model,
      cwd,
      tools: runtime.tools,
      sessionId,
      turnId: runner.turnId,
      lane: () => runtime.sessions.lane(sessionId),
      page: this.surface.page,
      tell: (line) => voice.tell(line),
      send: (text) => this.queue.first(text),
      queue: (text) => this.queue.last(text),
      steer: (text) => this.messages.steer(text),
      redirect: (text) => this.messages.redirect(text),
      stop: (message) => this.stop(message),
      write: (text) => this.lines.write(text),
      enter: (other, as) => {
        if (other !== sessionId && as !== "branch") this.lookBack.leave(runtime, sessionId);
        this.sessionId = other;
        runner.forget();
      },
      newSessionId: () => this.chat.adapters.newSessionId(),
      useModel: (name, provider) =>
        this.reopen(this.current.flags, { model: name, ...(provider !== undefined && { provider }) }),
      program: (words) => runProgram(words, this.chat, (line) => voice.tell(line)),
      exportTo: (file) => exportTo(file, { chat: this.chat, sessionId, cwd }),
      leave: () => this.leave("quit"),
    };
  }
}
