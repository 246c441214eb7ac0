import type { Folders } from "../config/folders.ts";
import type { ModelAsked } from "../config/model-asked.ts";
import type { Settings } from "../config/settings.ts";
import type { RuleBook } from "../protocol/approval.ts";
import type { BackgroundRow } from "../protocol/background.ts";
import type { DreamAsked, DreamEnd, PastDreams } from "../protocol/dream.ts";
import type { Failure } from "../protocol/failure.ts";
import type { FailureGiven } from "../protocol/failure-given.ts";
import type { Authority, DeviceAnswer, DeviceCode, KeyChest } from "../protocol/keys.ts";
import type { McpBook } from "../protocol/mcp-consent.ts";
import type { ImagePart } from "../protocol/message.ts";
import type { NoteBook } from "../protocol/memory.ts";
import type { ModelFacts } from "../protocol/model-facts.ts";
import type { ModelTrial } from "../protocol/model-trial.ts";
import type { PracticeChosen, ProviderAnswer, ProviderFound, ProviderRow } from "../protocol/provider.ts";
import type { ToolPort } from "../protocol/ports.ts";
import type { BuiltPrompt, PromptState } from "../protocol/prompt.ts";
import type { RecordedTurn, Replay } from "../protocol/replay.ts";
import type { SandboxState } from "../protocol/sandbox.ts";
import type { SkillShelf } from "../protocol/skill.ts";
import type { StoreCare } from "../protocol/store-care.ts";
import type { AuditedFile, Store, StoreCheck, StoredPrompt } from "../protocol/store.ts";
import type { Diagnostic } from "../session/diagnostic.ts";
import type { ReviewOutcome } from "../session/review/outcome.ts";
import type { Sessions, SessionsOptions } from "../session/sessions.ts";
import type { SkillDesk } from "../protocol/skill-install.ts";
import type { CountText } from "../protocol/token-estimate.ts";
import type { Tool, ToolSpec } from "../protocol/tool.ts";
import type { CheckpointCheck, TurnFiles } from "../protocol/turn-files.ts";
import type { Language, Text } from "../words/language.ts";
import type { Withheld } from "../words/tools.ts";
import type { Proposed } from "./proposals.ts";

export interface RuntimeOptions {
  readonly model: ProviderFound | PracticeChosen;
  readonly store: Store;
  readonly settings: Settings;
  /** How other models are looked for; absent: as from the folder the program was started in. */
  readonly asked?: ModelAsked;
  /** Where the limits are kept that others are to know; absent: nowhere. */
  readonly limitsFolder?: string;
  /** A person has just chosen the model. */
  readonly chosen?: boolean;
  readonly cwd: string;
  /** Of the profile; absent: the models are told nothing that its user has written. */
  readonly folders?: Folders;
  /** Folders that are the program's own: no tool touches them unasked. */
  readonly guarded: readonly string[];
  readonly approvals: "never" | "rules" | "all" | "park" | "ask";
  readonly language: Language;
  /** A person sits at a terminal and sees what happens: a loop is theirs to stop. */
  readonly attended: boolean;
  /** Is told of each change of what outlives a session that a turn has asked for and that waits for a person. */
  readonly proposed?: (proposal: Proposed) => void;
  /** Is told of each server of tools that is not used, or cannot be, once. */
  readonly serverTrouble?: (sentence: Text) => void;
  /** Other messages follow in the same session: what helps them may be done between two turns. */
  readonly staysOpen?: boolean;
  /** Names; undefined: all there are. A name that none has is a RefusalError. */
  readonly tools: readonly string[] | undefined;
  readonly log: (diagnostic: Diagnostic) => void;
  readonly trace: SessionsOptions["trace"];
}

/** Where and with what tools are looked at and run without a model. */
export type HandsOptions = Pick<
  RuntimeOptions,
  "cwd" | "folders" | "guarded" | "settings" | "limitsFolder" | "store" | "attended"
>;

export interface OfferedTool {
  readonly tool: Tool;
  /** The file it comes from; absent: the program itself. */
  readonly source?: string;
  /** Why no model is offered it. */
  readonly withheld?: Withheld;
}

export interface Hands {
  readonly tools: readonly OfferedTool[];
  /** One sentence for each tool file that could not be used. */
  readonly troubles: readonly string[];
  readonly port: ToolPort;
  readonly close: () => Promise<void>;
}

/** A command that a person runs from a conversation. */
export interface OwnCommand {
  readonly signal: AbortSignal;
  readonly output: (text: string) => void;
}

export interface OwnCommandEnd {
  /** How it ended in its first line, and what it printed. */
  readonly text: string;
  readonly failed: boolean;
}

/** All that is known is that there is a NUL in it. */
export const SOME_BINARY = "a binary file";

/** What looks back at conversations, beside them. */
export interface RuntimeReviews {
  /** From now on `told` is told what each has come to. */
  readonly follow: (told: (outcome: ReviewOutcome) => void) => void;
  /** For a session that is left: when all that go on are over; undefined: none does. */
  readonly leave: (sessionId: string) => Promise<unknown> | undefined;
}

/** Everything that runs turns, ready to use. */
export interface Runtime {
  readonly sessions: Sessions;
  /** What whoever asks should know before the first turn. */
  readonly warnings: readonly {
    readonly code: "tools_reduced" | "tools_off_unknown" | "skill_revoked";
    readonly message: Text;
  }[];
  /** What the model is offered. */
  readonly tools: readonly ToolSpec[];
  /** Of the model, tokens; undefined: nobody knows. */
  readonly contextWindow: number | undefined;
  /** What the model of a session that began now would be told first. Reads files, and changes nothing. */
  readonly newPrompt: () => Promise<BuiltPrompt>;
  /** Whether a stored prompt would be sent again; else why one is built. */
  readonly judgePrompt: (stored: StoredPrompt) => PromptState | "present";
  /** The names of the skills that can be used. */
  readonly skills: () => Promise<readonly string[]>;
  /** Runs a command in the working folder with the authority of whoever typed it. Never rejects. */
  readonly runCommand: (command: string, run: OwnCommand) => Promise<OwnCommandEnd>;
  /** Absent: nothing is looked back at. */
  readonly reviews?: RuntimeReviews | undefined;
  /** A session is not gone on with here: what it has running beside it ends. Never rejects. */
  readonly leaveSession: (sessionId: string) => Promise<void>;
  /** Has a model tidy the notes; only where there are folders. */
  readonly dream: (asked: DreamAsked) => Promise<DreamEnd>;
  readonly close: () => Promise<void>;
}

/** What a survey asks beyond looking: nobody, each provider for its models, one tiny call of each. */
export type Asking = "nothing" | "lists" | "all";

/** The package that runs. */
export interface Installed {
  /** Where its guides lie. */
  readonly docsFolder: string;
  /** Where the skills lie that come with it. */
  readonly skillsFolder: string;
  readonly version: () => string;
}

/** What commands need from the layers below; the composition root knows the makers. */
export interface Adapters extends Installed {
  readonly findModel: (asked: ModelAsked) => Promise<ProviderAnswer>;
  /** What is known of a model, with what the config says of it. Nobody is asked. */
  readonly describeModel: (
    query: Pick<ModelFacts, "provider" | "model"> & { readonly baseUrl?: string },
    settings: Settings["models"],
  ) => Promise<ModelFacts>;
  /** Every model of the snapshot. */
  readonly knownModels: () => Promise<readonly Pick<ModelFacts, "provider" | "model">[]>;
  /** The keys that are kept for all processes, with those of the environment. */
  readonly openKeys: (asked: ModelAsked) => Promise<KeyChest>;
  /** Lets a person agree elsewhere that this program gets a key; see DeviceCode. Never rejects. */
  readonly loginByDevice: (authority: Authority, tell: (code: DeviceCode) => void) => Promise<DeviceAnswer>;
  /** Makes one tiny real request. */
  readonly tryModel: (model: ProviderFound | PracticeChosen) => Promise<ModelTrial>;
  /** What a turn would make of a failure. Nobody is asked. */
  readonly classifyFailure: (given: FailureGiven) => Promise<Failure>;
  /** All that could be asked. */
  readonly surveyProviders: (asked: ModelAsked & { readonly ask: Asking }) => Promise<readonly ProviderRow[]>;
  /** What the owner of this profile keeps secret, as far as it is known here. */
  readonly ownSecrets: (folders: Folders) => Promise<readonly string[]>;
  /** Runs a recorded turn again, without a network. */
  readonly replay: (turn: RecordedTurn) => Promise<Replay>;
  /** Looks at the store of a folder and changes nothing. */
  readonly checkStore: (folder: string) => Promise<StoreCheck>;
  /** Opens it to be looked at whole, and changes nothing; undefined: there is none. Throws StoreError. */
  readonly openAudit: (folder: string) => Promise<AuditedFile | undefined>;
  /** What is done with a store as a whole. */
  readonly storeCare: () => Promise<StoreCare>;
  /** Opens the store of a folder; throws StoreError. */
  readonly openStore: (where: { readonly folder: string } & Pick<Settings, "sync">) => Promise<Store>;
  /** What is kept of files beside the store of a folder; undefined: nothing yet. Whoever opens it closes it. */
  readonly openTurnFiles: (store: string) => Promise<TurnFiles | undefined>;
  /** Looks at what is kept of files beside the store of a folder, and changes nothing. */
  readonly checkTurnFiles: (store: string) => Promise<CheckpointCheck>;
  /** What stands around commands here. */
  readonly checkSandbox: (settings: Settings) => Promise<SandboxState>;
  /** One that nothing outlives. */
  readonly memoryStore: () => Promise<Store>;
  /** Counts with the tokenizer of a model; undefined: none is known. */
  readonly exactTokens: (model: string) => Promise<CountText | undefined>;
  /** What the first bytes of something say it is, when it is no text: "a PNG image", or SOME_BINARY; else undefined. */
  readonly fileKind: (start: Buffer) => Promise<string | undefined>;
  /** A file as a picture for the model; `why` is one sentence about a picture that none takes; undefined: it is none. */
  readonly readPicture: (
    path: string,
    name: string,
  ) => Promise<
    | { readonly type: "picture"; readonly picture: ImagePart }
    | { readonly type: "unfit"; readonly why: Text }
    | undefined
  >;
  /** What runs beside the sessions of the store in a folder. */
  readonly backgroundProcesses: (storeFolder: string) => Promise<readonly BackgroundRow[]>;
  /** What dreams have made of the notes of a profile. */
  readonly pastDreams: (folders: Pick<Folders, "data">) => Promise<PastDreams>;
  /** The notes of a profile. Nothing is made until something is written. */
  readonly openNotes: (folders: Pick<Folders, "data">) => Promise<NoteBook>;
  /** What was allowed for good in a profile; `cwd`: where the tools work. */
  readonly openRules: (folders: Pick<Folders, "data">, cwd: string) => Promise<RuleBook>;
  /** The skills of a profile and of a working folder, without those that are off. `folders`: absent: none of the user. */
  readonly openSkills: (where: {
    readonly folders?: Pick<Folders, "config" | "data"> | undefined;
    readonly cwd: string;
    readonly off?: readonly string[] | undefined;
  }) => SkillShelf;
  /** What a person does with the skills of a profile as a whole. */
  readonly openSkillDesk: (place: Pick<RuntimeOptions, "cwd"> & { readonly folders: Folders }) => Promise<SkillDesk>;
  /** The servers of tools that a config names, and what their owner agreed to of them. */
  readonly openMcpBook: (
    place: Pick<RuntimeOptions, "cwd" | "settings" | "guarded"> & { readonly folders: Folders },
  ) => Promise<McpBook>;
  readonly openRuntime: (options: RuntimeOptions) => Promise<Runtime>;
  readonly openHands: (options: HandsOptions) => Promise<Hands>;
  readonly newSessionId: () => string;
}
