import { join } from "node:path";
import { rootFolders } from "../../config/folders.ts";
import type { ContextPart } from "../../protocol/message.ts";
import type { TurnResult } from "../../protocol/result.ts";
import { StoreError } from "../../protocol/store.ts";
import type { Command, CommandContext } from "../../session/commands/command.ts";
import { COMMANDS } from "../../session/commands/registry.ts";
import { type Resolution, resolveCommand } from "../../session/commands/resolve.ts";
import { readInput } from "../../session/input.ts";
import { oneLine } from "../../session/plain-text.ts";
import type { Turn } from "../../session/turn.ts";
import { AGENT, CHAT_SAYS, ignoredKeys, queued, redirects, steersNow, YOU } from "../../words/chat.ts";
import { REFUSED_COMMAND } from "../../words/commands.ts";
import { type Language, type Text, wordsIn } from "../../words/language.ts";
import type { SetupChoice } from "../../words/setup.ts";
import { History } from "../editor/history.ts";
import { InputLines } from "../editor/input-lines.ts";
import type { Flags } from "../flags.ts";
import type { Signal } from "../io.ts";
import type { Attachment } from "../prompt/attachments.ts";
import { existingSession, RefusalError } from "../refusal.ts";
import { Screen } from "../screen/screen.ts";
import type { Surface } from "../screen/surface.ts";
import { attachFiles } from "./attachments.ts";
import { closingLines, resumeLine, unfinishedLine } from "./closing.ts";
import { complete } from "./complete.ts";
import { type Chat, chosenLine, chosenSetup, findModel, greeting, type Opened, openWith, placeOf } from "./opening.ts";
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
  private opening: Promise<Opened>;
  private opened: Opened | undefined;
  private flags: Flags;
  private sessionId = "";
  /** Messages and commands that come before any line. */
  private readonly queue: string[] = [];
  /** What the person ran, for the model to know with the next message. */
  private readonly notes: ContextPart[] = [];
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
    this.flags = chat.flags;
    this.voice = new Voice(surface, language);
    this.opening = opening;
    const { io } = chat;
    this.lines = new InputLines({
      io,
      surface,
      history: new History(join(rootFolders(io).state, "history")),
      plainPrompt: YOU[language],
      events: {
        typed: (line) => this.typed(line),
        early: (line) => this.wait(line),
        interrupted: () => this.press("SIGINT"),
        ended: () => this.tellEnd(),
        ignored: (text) => this.voice.say(ignoredKeys(oneLine(text))),
        takeBack: () => this.queue.pop(),
        complete,
      },
    });
    const tellsWaits = this.lines.attended && !surface.live;
    const mark = tellsWaits ? AGENT[language] : "";
    const screen = new Screen({ io, surface, language, streams: true, tellsWaits, mark });
    this.runner = new TurnRunner({ screen, lines: this.lines, voice: this.voice, steer: (text) => this.steer(text) });
  }

  async run(first: string): Promise<number> {
    const unlisten = this.chat.io.onSignal((signal) => this.press(signal));
    try {
      if (first !== "") this.queue.push(first);
      // A terminal whose rows are redrawn shows its prompt first; elsewhere the order of lines is for good.
      const opening = this.open();
      opening.catch(() => this.lines.close());
      if (!this.surface.live) await opening;
      for (let line = await this.nextLine(); line !== undefined; line = await this.nextLine()) await this.take(line);
      await opening;
      this.sayGoodbye();
    } finally {
      unlisten();
      this.lines.close();
      const { runtime } = (await this.opening.catch(() => undefined)) ?? {};
      await runtime?.close();
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
    const line = this.queue.shift() ?? (await this.lines.next());
    if (line === undefined || this.leaving !== undefined) return undefined;
    await this.open();
    return line;
  }

  /** Waits for the model and the store, and tells once what they are. */
  private async open(): Promise<Opened> {
    const opened = await this.opening;
    if (this.opened === undefined) this.greet(opened);
    this.opened = opened;
    return opened;
  }

  private greet({ store, ...opened }: Opened): void {
    const { resume } = this.flags;
    this.sessionId = resume === undefined ? this.chat.adapters.newSessionId() : existingSession(store, resume);
    for (const line of greeting(opened, this.about())) this.voice.tell(line);
    for (const { message } of opened.runtime.warnings) this.voice.say(message);
    const unfinished = resume !== undefined && store.openTurns().some(({ sessionId }) => sessionId === this.sessionId);
    if (unfinished) this.voice.tell(unfinishedLine(this.sessionId, this.shownFlags(opened), this.about()));
  }

  private about(): { readonly env: NodeJS.ProcessEnv; readonly language: Language } {
    return { env: this.chat.io.env, language: this.voice.language };
  }

  /** The practice model is named in no variable: whoever goes on with its work has to name it. */
  private shownFlags({ search }: Pick<Opened, "search">): Flags {
    return search.type === "none" ? { ...this.flags, model: "practice" } : this.flags;
  }

  private sayGoodbye(): void {
    const { lane, turnId } = this.runner;
    if (turnId === undefined || !this.lines.attended || this.opened === undefined) return;
    const flags = this.shownFlags(this.opened);
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
    this.voice.unsent(this.queue.splice(0));
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
    this.voice.unsent([...this.queue.splice(0), ...this.lines.drop()]);
    this.lines.close();
    if (why !== "quit") this.stopWork(why === "SIGINT" ? "user" : "terminate");
  }

  private stopWork(by: "user" | "terminate", said?: string): void {
    if (this.work?.type === "turn") this.runner.stop(by, said);
    else this.work?.stop.abort();
    this.lines.lookAgain();
  }

  private stop(message: string): boolean {
    if (this.work?.type !== "turn") return false;
    this.voice.unsent(this.queue.splice(0));
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
    const { opened, runner } = this;
    if (read.type === "refused") this.refuse(read);
    else if (read.type === "command" && read.command.bypass && opened !== undefined)
      this.voice.follow(this.command(read.command, read.text));
    else if (read.type === "message" && runner.turn !== undefined) this.voice.follow(this.steer(line));
    else this.wait(line);
  }

  private wait(line: string): void {
    this.queue.push(line);
    this.voice.say(queued(oneLine(line)));
  }

  /** Only a person at a terminal runs commands of their own: a pipe may hold anybody's text. */
  private read(line: string): Line {
    const command = line.startsWith("!") && this.lines.attended ? line.slice(1).trim() : "";
    return command === "" ? resolveCommand(line, COMMANDS) : { type: "own", command };
  }

  private async take(line: string): Promise<void> {
    this.pressedMs = -Infinity;
    const choice = this.lines.attended ? chosenSetup(line, this.opened?.search) : undefined;
    if (choice !== undefined) return this.choose(choice);
    const read = this.read(line);
    switch (read.type) {
      case "message":
        return this.send(line);
      case "command":
        return this.command(read.command, read.text);
      case "refused":
        return this.refuse(read);
      case "own":
        return this.runOwn(read.command);
    }
  }

  private refuse({ cause, said, nearest }: Extract<Line, { type: "refused" }>): void {
    this.voice.say(REFUSED_COMMAND[cause](oneLine(said), nearest.map((name) => `/${name}`).join(", ")));
  }

  private async command(command: Command, text: string): Promise<void> {
    try {
      await command.run(this.context(await this.open()), text);
    } catch (error) {
      if (error instanceof RefusalError) this.voice.tell(wordsIn(error.refusal.message, this.voice.language));
      else if (error instanceof StoreError) this.voice.tell(`evander: ${wordsIn(error.sentence, this.voice.language)}`);
      else throw error;
    }
    this.lines.lookAgain();
  }

  private steer(text: string): Promise<void> {
    return this.toTurn(text, steersNow, (turn, sent) => turn.steer(sent));
  }

  /** Told to the turn that runs; whatever it does not take is the next message. */
  private async toTurn(
    text: string,
    told: (line: string) => Text,
    tell: (turn: Turn, sent: string) => Promise<boolean>,
  ): Promise<void> {
    const { turn } = this.runner;
    const files = await this.attach(text);
    if (files === undefined) return;
    const sent = [text, ...files.flatMap((file) => (file.type === "context" ? [`${file.source}:\n${file.text}`] : []))];
    if (turn !== undefined && (await tell(turn, sent.join("\n\n")))) this.voice.say(told(oneLine(text)));
    else if (this.work === undefined) this.queue.push(text);
    else this.wait(text);
  }

  /** Undefined when something is wrong with a file: that is told, and the words come back. */
  private async attach(text: string): Promise<readonly Attachment[] | undefined> {
    if (!this.lines.attended || this.opened === undefined) return [];
    const { io, adapters } = this.chat;
    const { cwd } = this.opened;
    const reader = { cwd, fileKind: adapters.fileKind, warn: (words: Text): void => this.voice.say(words) };
    const attached = await attachFiles(text, reader, io.home);
    if (attached.type === "ready") return attached.files;
    this.voice.tell(wordsIn(attached.why, this.voice.language));
    this.lines.write(text);
    return undefined;
  }

  private async send(line: string): Promise<void> {
    const input = readInput(line);
    const files = input.type === "blank" ? undefined : await this.attach(input.text);
    if (input.type === "blank" || files === undefined) return;
    const { sessions } = (await this.open()).runtime;
    const attachments = [...this.notes.splice(0), ...files];
    this.work = { type: "turn" };
    const running = this.runner.run({ sessions, sessionId: this.sessionId, text: input.text, attachments });
    const result = await Promise.race([running, this.gone.promise]);
    if (result === undefined) return;
    this.end(result);
    this.work = undefined;
  }

  private end(result: TurnResult): void {
    const goesOn = this.lines.attended && this.leaving === undefined;
    for (const line of closingLines(result, { ...this.about(), flags: this.flags, goesOn }))
      this.surface.line(result.ok ? this.surface.dim(line) : line);
    this.goOn(result);
    if (this.firstTrouble === 0) this.firstTrouble = result.exit.code;
  }

  /** What was said to the turn and not heard is said next; whoever stopped it may not want that any more. */
  private goOn({ pendingSteer, interruptMessage, interrupted }: TurnResult): void {
    const told = interrupted || this.leaving !== undefined;
    if (told) this.voice.unsent(pendingSteer);
    if (interruptMessage !== null) this.queue.unshift(interruptMessage);
    if (!told) this.queue.unshift(...pendingSteer);
  }

  private async runOwn(command: string): Promise<void> {
    const { runtime } = await this.open();
    const stop = new AbortController();
    this.work = { type: "command", stop };
    this.notes.push(await runOwnCommand(command, { runtime, surface: this.surface, signal: stop.signal }));
    this.work = undefined;
  }

  /** A local server may have been started meanwhile; the other choices are made outside. */
  private async choose(choice: SetupChoice): Promise<void> {
    this.voice.tell(chosenLine(choice, this.about()));
    if (choice.do !== "local-server") return;
    const found = await this.reopen(this.flags);
    this.voice.tell(typeof found === "string" ? found : (greeting(await this.opening, this.about())[0] ?? ""));
  }

  /** Looks for the model anew; what is in the way, in words. */
  private async reopen(flags: Flags): ReturnType<CommandContext["useModel"]> {
    const place = await placeOf({ ...this.chat, flags });
    const search = await findModel(this.chat, place);
    if (search.type === "none") return wordsIn(search.message, this.voice.language);
    await (await this.opening).runtime.close();
    this.flags = flags;
    this.runner.forget();
    this.opening = openWith({ ...this.chat, flags }, place, search);
    return (await this.open()).model;
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
      spent: runner.spent,
      lane: () => runtime.sessions.lane(sessionId),
      page: this.surface.page,
      tell: (line) => voice.tell(line),
      send: (text) => this.queue.unshift(text),
      queue: (text) => {
        if (this.work === undefined) this.queue.push(text);
        else this.wait(text);
      },
      steer: (text) => this.steer(text),
      redirect: (text) => this.toTurn(text, redirects, (turn, sent) => turn.redirect(sent)),
      stop: (message) => this.stop(message),
      enter: (other) => {
        this.sessionId = other;
        runner.forget();
      },
      newSessionId: () => this.chat.adapters.newSessionId(),
      useModel: (name, provider) =>
        this.reopen({ ...this.flags, model: name, ...(provider !== undefined && { provider }) }),
      program: (words) => runProgram(words, this.chat, (line) => voice.tell(line)),
      exportTo: (file) => exportTo(file, { chat: this.chat, sessionId, cwd }),
      leave: () => this.leave("quit"),
    };
  }
}
