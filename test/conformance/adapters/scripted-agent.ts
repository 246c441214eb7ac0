import { rules } from "../../../src/context/compaction/rules.ts";
import { chatCompletions } from "../../../src/model/chat_completions/index.ts";
import { createTransport } from "../../../src/model/transport.ts";
import type { Fact } from "../../../src/protocol/fact.ts";
import type { ImagePart, Message } from "../../../src/protocol/message.ts";
import type { TurnResult } from "../../../src/protocol/result.ts";
import type { Tool } from "../../../src/protocol/tool.ts";
import { fromOpenAi, type OpenAiMessage } from "../../../src/protocol/openai.ts";
import type { Clock, Compactor } from "../../../src/protocol/ports.ts";
import { Sessions } from "../../../src/session/sessions.ts";
import { systemClock } from "../../../src/session/system-clock.ts";
import type { Turn } from "../../../src/session/turn.ts";
import { standing } from "../../../src/session/turn-tools.ts";
import { memoryStore } from "../../../src/store/memory.ts";
import { createToolbox } from "../../../src/tools/toolbox.ts";
import { type Setup, UNATTENDED } from "../../../src/turn/state.ts";
import { EndlessProvider } from "../../support/endless-provider.ts";
import type { ReceivedRequest } from "../../support/fake-provider.ts";
import type { Step } from "../../support/wire-script.ts";
import type { Json } from "../case-file.ts";

/** What is said to a turn from outside. */
export type Say = (turn: Turn) => Promise<unknown>;

export interface Scripted {
  /** What the server answers to request n, from 0. A script that is over goes on with its last entry. */
  readonly steps: readonly Step[];
  readonly tools?: readonly Tool[];
  readonly setup?: Partial<Setup>;
  /** Absent: our own. */
  readonly compactor?: Compactor | undefined;
  readonly history?: readonly Json[];
  readonly user: string;
  readonly attachments?: readonly ImagePart[];
  /** Said while request n waits for its answer. */
  readonly during?: readonly (readonly Say[])[];
  /** Called when a request has come and nothing was answered yet. */
  readonly onRequest?: (store: ReturnType<typeof memoryStore>) => void;
}

export interface Ran {
  readonly result: TurnResult;
  readonly requests: readonly ReceivedRequest[];
  /** The session as it is kept: what was there before and what the turn has added. */
  readonly messages: readonly Message[];
  readonly added: readonly Message[];
  readonly facts: readonly Fact[];
  /** The text of the model in the pieces in which it was shown. */
  readonly shown: readonly string[];
}

const MODEL = "fake-1";

/** What takes a second takes a millisecond. */
const CLOCK: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 1_000, signal) };

/**
 * One turn of the whole product — session, loop, tools, provider, HTTP — against a server that answers by script and
 * refuses every illegal request, which is a failed case.
 */
export async function runScripted(scripted: Scripted): Promise<Ran> {
  const { steps, tools = [], setup = {}, compactor = rules, history = [], user, attachments = [] } = scripted;
  const store = memoryStore();
  let turn: Turn | undefined;
  const said = (index: number): readonly Say[] => scripted.during?.[index] ?? [];
  const onRequest = async ({ index }: ReceivedRequest): Promise<void> => {
    scripted.onRequest?.(store);
    if (turn !== undefined) for (const say of said(index)) await say(turn);
  };
  const provider = new EndlessProvider(({ index }) => steps[index] ?? steps.at(-1) ?? { frames: [] }, { onRequest });
  await provider.server.listen();
  const { baseUrl } = provider.server;
  const chat = createTransport({ dialect: chatCompletions, baseUrl, apiKey: undefined, provider: "custom" });
  const toolbox = createToolbox(tools);
  const sessions = new Sessions({
    store,
    newId: () => crypto.randomUUID(),
    log: () => undefined,
    openModel: ({ nonce }) => ({
      setup: { model: MODEL, provider: "custom", maxIterations: 500, approvals: "all", ...UNATTENDED, ...setup },
      about: { provider: "custom", baseUrl, source: "options" },
      open: (specs) => ({ model: chat.open({ system: "You help.", tools: specs, nonce }) }),
    }),
    tools: standing(toolbox),
    ports: { compactor, clock: CLOCK, random: () => 0 },
  });
  try {
    if (history.length > 0) await sessions.importMessages("s", imported(history));
    turn = await sessions.start("s", user, { attachments });
    const shown = await shownBy(turn);
    const { result, messages: added } = await turn.end;
    const illegal = provider.violations();
    if (illegal.length > 0) throw new Error(illegal.join("; "));
    const facts = store.turn("last")?.facts.map(({ fact }) => fact) ?? [];
    const messages = (store.history("s") ?? []).filter((message) => message !== undefined);
    return { result, requests: provider.requests, messages, added, facts, shown };
  } finally {
    chat.close();
    store.close();
    await provider.close();
  }
}

async function shownBy(turn: Turn): Promise<readonly string[]> {
  const shown: string[] = [];
  for await (const event of turn) if (event.type === "text-delta") shown.push(event.text);
  return shown;
}

const imported = (rows: readonly Json[]): readonly Message[] => fromOpenAi(rows as unknown as readonly OpenAiMessage[]);

/**
 * As the command line tells it: the answer as it is shown, and where all is not well what there is of it, or why. Both
 * references trim its edges.
 */
export const toldToPeople = ({ ok, shown, answer, error }: TurnResult): string | null =>
  (ok ? shown : (answer ?? error?.message ?? null))?.trim() ?? null;
