import type { NamedModel } from "../../config/model-asked.ts";
import { wordsIn } from "../../words/language.ts";
import type { CommandContext } from "../../session/commands/command.ts";
import type { ProviderAnswer } from "../../protocol/provider.ts";
import type { Flags } from "../flags.ts";
import { findModel, placeOf } from "../set-up.ts";
import { type Chat, isAttended, type Opened, openWith } from "./opening.ts";
import type { Voice } from "./voice.ts";

export interface CurrentOptions {
  readonly chat: Chat;
  readonly voice: Voice;
  /** On its way already. */
  readonly opening: Promise<Opened>;
  /** Is told once, when the first is there. */
  readonly greet: (opened: Opened) => void;
}

/** The model that is asked now, with the store it works on; another can take its place. */
export class CurrentModel {
  /** Those it was found with. */
  flags: Flags;
  /** Undefined until it is there. */
  opened: Opened | undefined;
  private readonly options: CurrentOptions;
  private opening: Promise<Opened>;

  constructor(options: CurrentOptions) {
    this.options = options;
    this.flags = options.chat.flags;
    this.opening = options.opening;
  }

  async open(): Promise<Opened> {
    const opened = await this.opening;
    if (this.opened === undefined) this.options.greet(opened);
    this.opened = opened;
    return opened;
  }

  /** Looks for the model anew, for one that is `named` now; what is in the way, in words. */
  async reopen(flags: Flags, named: NamedModel = {}): ReturnType<CommandContext["useModel"]> {
    const chat = { ...this.options.chat, flags: { ...flags, ...named } };
    const place = await placeOf(chat, isAttended(chat));
    const search = await findModel(chat, place, named);
    if (search.type === "none") return wordsIn(search.message, this.options.voice.language);
    await (await this.opening).runtime.close();
    this.flags = flagsFor(chat.flags, search);
    this.opening = openWith(chat, place, search, true);
    return (await this.open()).model;
  }

  async close(): Promise<void> {
    const opened = await this.opening.catch(() => undefined);
    await opened?.runtime.close();
  }
}

/** A provider that is named in the flags may have given way to the one before the model's name. */
const flagsFor = (flags: Flags, search: ProviderAnswer): Flags =>
  flags.provider === undefined || search.type !== "found"
    ? flags
    : { ...flags, provider: search.provider, model: search.model };

/** The practice model is named in no variable: whoever goes on with its work has to name it. */
export const shownFlags = (flags: Flags, { search }: Pick<Opened, "search">): Flags =>
  search.type === "none" ? { ...flags, model: "practice" } : flags;
