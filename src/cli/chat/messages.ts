import type { ContextPart } from "../../protocol/message.ts";
import { readInput } from "../../session/input.ts";
import { oneLine } from "../../session/plain-text.ts";
import type { Turn } from "../../session/turn.ts";
import { redirects, steersNow } from "../../words/chat.ts";
import { type Text, wordsIn } from "../../words/language.ts";
import type { InputLines } from "../editor/input-lines.ts";
import type { Attachment } from "../prompt/attachments.ts";
import { attachFiles } from "./attachments.ts";
import type { CurrentModel } from "./current-model.ts";
import type { LineQueue } from "./line-queue.ts";
import type { Chat } from "./opening.ts";
import type { Voice } from "./voice.ts";

export interface MessagesOptions {
  readonly chat: Chat;
  readonly voice: Voice;
  readonly lines: InputLines;
  readonly queue: LineQueue;
  readonly current: CurrentModel;
  /** The turn that runs. */
  readonly turn: () => Turn | undefined;
}

export interface OutgoingMessage {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** What is said to the model: with the files it names, as a turn of its own or to the turn that runs. */
export class Messages {
  private readonly options: MessagesOptions;
  /** What the person ran, for the model to know with the next message. */
  private readonly notes: ContextPart[] = [];

  constructor(options: MessagesOptions) {
    this.options = options;
  }

  note(part: ContextPart): void {
    this.notes.push(part);
  }

  /** A line as it is sent; undefined when nothing is to be sent. */
  async prepare(line: string): Promise<OutgoingMessage | undefined> {
    const input = readInput(line);
    const files = input.type === "blank" ? undefined : await this.attach(input.text);
    if (input.type === "blank" || files === undefined) return undefined;
    return { text: input.text, attachments: [...this.notes.splice(0), ...files] };
  }

  steer(text: string): Promise<void> {
    return this.toTurn(text, steersNow, (turn, sent) => turn.steer(sent));
  }

  redirect(text: string): Promise<void> {
    return this.toTurn(text, redirects, (turn, sent) => turn.redirect(sent));
  }

  /** Whatever the turn does not take is the next message; so is what comes with a file, whose words are not the user's own. */
  private async toTurn(
    text: string,
    told: (line: string) => Text,
    tell: (turn: Turn, sent: string) => Promise<boolean>,
  ): Promise<void> {
    const { voice, queue } = this.options;
    const turn = this.options.turn();
    const files = await this.attach(text);
    if (files === undefined) return;
    if (files.length === 0 && turn !== undefined && (await tell(turn, text))) return voice.say(told(oneLine(text)));
    queue.last(text);
  }

  /** Undefined when something is wrong with a file: that is told, and the words come back. */
  private async attach(text: string): Promise<readonly Attachment[] | undefined> {
    const { chat, voice, lines, current } = this.options;
    if (!lines.attended || current.opened === undefined) return [];
    const { io, adapters } = chat;
    const { cwd } = current.opened;
    const { fileKind, readPicture } = adapters;
    const reader = { cwd, fileKind, readPicture, warn: (words: Text): void => voice.say(words) };
    const attached = await attachFiles(text, reader, io.home);
    if (attached.type === "ready") return attached.files;
    voice.tell(wordsIn(attached.why, voice.language));
    lines.write(text);
    return undefined;
  }
}
