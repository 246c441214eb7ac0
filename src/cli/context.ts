import type { BackgroundRow } from "../protocol/background.ts";
import type { StoreCare } from "../protocol/store-care.ts";
import type { Store } from "../protocol/store.ts";
import type { Language } from "../words/language.ts";
import type { Adapters } from "./adapters.ts";
import type { PromptFlags } from "./flags.ts";
import type { Io } from "./io.ts";
import type { Form } from "./options.ts";
import type { Headless } from "./prompt/run.ts";

/** How a command that reads was asked to answer. */
export interface Asked {
  readonly io: Io;
  readonly json: boolean;
  readonly language: Language;
}

/** What the commands of one run of the program work with. */
export interface CommandContext {
  readonly io: Io;
  readonly adapters: Adapters;
  asked(form: Form): Asked;
  /** The store of the profile; whoever opens it closes it. */
  openStore(): Promise<Store>;
  /** Opens the store for one command. */
  withStore<T>(use: (store: Store) => T | Promise<T>): Promise<T>;
  /** Where it lies. */
  storeFolder(): string;
  /** What is done with it as a whole. */
  readonly care: StoreCare;
  /** What runs beside the sessions of the profile. */
  backgroundProcesses(): Promise<readonly BackgroundRow[]>;
  headless(flags: PromptFlags): Headless;
  readonly newSessionId: () => string;
  /** Runs another command line in place of this one. */
  runInstead(words: readonly string[]): Promise<number>;
  /** The exit code of the program. */
  endWith(code: number): void;
}
