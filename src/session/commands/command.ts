import type { Store } from "../../protocol/store.ts";
import type { ToolSpec } from "../../protocol/tool.ts";
import type { CommandWord } from "../../words/commands.ts";
import type { Language } from "../../words/language.ts";
import type { Lane } from "../lane.ts";
import type { DrawingRoom } from "../picture/draw.ts";
import type { CommandName } from "./resolve.ts";

/** Where commands are typed. */
export type Surface = "terminal" | "channel";

/** A slash command: every surface has the same ones, handled before any model is called (row A14). */
export interface Command extends CommandName {
  readonly name: CommandWord;
  readonly where: readonly Surface[];
  /** It is done at once, also while a turn runs; any other waits until the turn has ended. */
  readonly bypass: boolean;
  run(context: CommandContext, text: string): Promise<void> | void;
}

/** What a surface lets commands do. */
export interface CommandContext {
  readonly surface: Surface;
  readonly language: Language;
  readonly store: Store;
  readonly model: { readonly name: string; readonly provider: string };
  /** Aborts when the person stops the command; absent: it cannot be stopped. */
  readonly signal?: AbortSignal | undefined;
  /** The working folder. */
  readonly cwd: string;
  readonly tools: readonly Pick<ToolSpec, "name" | "description">[];
  readonly sessionId: string;
  /** The turn that runs or ran last in this conversation. */
  readonly turnId: string | undefined;
  /** The session; opened when it was not. Rejects with StoreError. */
  readonly lane: () => Promise<Lane>;
  readonly page: DrawingRoom;
  /** Shows a line to whoever typed the command. */
  readonly tell: (line: string) => void;
  /** As if it had been typed: the next turn answers it. */
  readonly send: (text: string) => void;
  /** For the turn that runs; where none runs it is a message. */
  readonly steer: (text: string) => Promise<void>;
  readonly redirect: (text: string) => Promise<void>;
  /** Behind the turn that runs. */
  readonly queue: (text: string) => void;
  /** False when nothing runs. `message` is answered next. */
  readonly stop: (message: string) => boolean;
  /** From here on the surface works in this session; `branch`: in another branch of the same conversation. */
  readonly enter: (sessionId: string, as?: "branch") => void;
  /** Puts a text where messages are written, to be changed and sent. */
  readonly write: (text: string) => void;
  readonly newSessionId: () => string;
  /** Returns why it cannot be, or the model that answers from the next turn on. */
  readonly useModel: (name: string, provider: string | undefined) => Promise<string | CommandContext["model"]>;
  /** A command of the program itself, such as `doctor`; each of its lines is shown. */
  readonly program: (words: readonly string[]) => Promise<void>;
  /** Writes the session into a file that is not there yet; returns why it could not be, or undefined. */
  readonly exportTo: (file: string) => Promise<string | undefined>;
  readonly leave: () => void;
}
