import { randomUUID } from "node:crypto";
import type { Checkpoints } from "../protocol/checkpoint.ts";
import type { AgentOptions, Around } from "./options.ts";
import type { AgentModels } from "./models.ts";
import { promptsOf } from "./prompt.ts";
import { type Afterwards, afterwardsOf } from "./after-jobs.ts";
import { type ChildrenLater, childrenLater } from "./children-later.ts";
import { readGuardrails } from "../config/guardrails.ts";
import { approvalTime, retryMode, capsOf, outputLimit, timeLimit } from "../config/limits.ts";
import { rules as compaction } from "../context/compaction/rules.ts";
import { extensionsOf, isInformed } from "./extensions.ts";
import { type OpenedModel, usable } from "./model-source.ts";
import type { Opening } from "../model/conversation.ts";
import { isLocalHost } from "../model/endpoint.ts";
import { ownVersion } from "./own-version.ts";
import { DELEGATE_TASK } from "../protocol/delegation.ts";
import type { Inspector } from "../protocol/approval.ts";
import type { Plugin } from "../protocol/extension.ts";
import { isAvailable } from "../protocol/availability.ts";
import { UNATTENDED_GUARDRAILS } from "../protocol/guardrails.ts";
import { priceOf } from "../protocol/money.ts";
import type { ModelName } from "../protocol/ports.ts";
import type { SessionPrompt } from "../protocol/prompt.ts";
import type { Store, StoredSession } from "../protocol/store.ts";
import { steerStatement } from "../protocol/steer-marker.ts";
import { textTokens, toolTokens } from "../protocol/token-estimate.ts";
import { familyOf } from "../protocol/token-family.ts";
import type { Tool } from "../protocol/tool.ts";
import type { Refusal } from "../session/result.ts";
import type { Runner } from "../session/run-spec.ts";
import { localTime } from "../session/runtime-context.ts";
import { type SessionModel, Sessions, type SessionsOptions } from "../session/sessions.ts";
import type { OtherModel } from "../session/turn.ts";
import { delegateTaskTool } from "../tools/delegate-task.ts";
import { tellingBeside } from "../tools/telling-beside.ts";
import { createToolbox, type Toolbox, type ToolboxOptions } from "../tools/toolbox.ts";
import { MAX_ITERATIONS } from "../turn/budget.ts";
import { type Setup, UNATTENDED_RETRY } from "../turn/state.ts";
import { runOne, type RunWith } from "./runs.ts";
import { compactorIn, type RunAt } from "./summaries.ts";
import { toolSnapshots } from "./tool-snapshots.ts";
import { describeFor } from "./vision.ts";

/** What an agent is made of. */
export interface AgentParts extends Omit<AgentModels, "sourceFor" | "close"> {
  readonly options: AgentOptions &
    Pick<
      Around,
      | "leaves"
      | "trace"
      | "prompt"
      | "program"
      | "dream"
      | "refer"
      | "news"
      | "beside"
      | "rules"
      | "checkpoints"
      | "results"
    >;
  readonly takeFollowUp: SessionsOptions["onFollowUp"];
}

interface AgentWork extends Pick<Afterwards, "after" | "leave"> {
  /** Absent: it has none. */
  readonly children: ChildrenLater | undefined;
  readonly sessions: Sessions;
  readonly runAt: RunAt;
  readonly openOther: (model: OpenedModel | Refusal) => OtherModel;
}

/** What turns of sessions are run by, and what runs from plain data are. */
export function workOn(
  store: Store,
  { options, source, chain, vision, summary, title, dream, review, advisers, known, learn, takeFollowUp }: AgentParts,
): AgentWork {
  const tools = withChildren(options).filter(isAvailable);
  const around = aroundTools(options, { known, learn });
  const boxed = (box: Toolbox): Toolbox => withBeside(box, options.beside);
  const open = (offered: readonly Tool[]): Toolbox =>
    boxed(createToolbox(offered, { ...around, delegation: children }));
  const setupFor = setupsOf(options);
  const backup = chain.behind(otherModel);
  const log = options.onDiagnostic ?? (() => undefined);
  const shared = sharedBy(store, options, log);
  const { clock } = source;
  const ports = { compactor: compaction, clock, random: Math.random };
  const childhood = { options, source, store, around, boxed, backup, setupFor, shared: { ...shared, ports } };
  const parent = { sessions: () => sessions, toolbox: () => snapshots.newest };
  const children = childrenOf(tools, { ...childhood, ...parent });
  const snapshots = toolSnapshots({ own: tools, source: options.toolSource, open });
  const prompts = promptsOf(options, { tools: snapshots.newest.specs, clock, log });
  const rest = { ...shared, ports, sessions: () => sessions };
  const own = { source, tools, snapshots, around, backup, setupFor, system: prompts.short, language: options.language };
  const runWith: RunWith = (...how) => runOne({ ...own, rest }, ...how);
  const run: RunAt = (at, spec, signal, maxOutput) => runWith(at, spec, { signal, maxOutput });
  const summing = { own: source, other: summary, run, known, clock, log };
  const leftUsd = async (sessionId: string): Promise<number | undefined> =>
    (await sessions.lane(sessionId)).limit?.leftUsd;
  const extensions = extensionsOf(options, { advisers, leftUsd, run, read: (call) => snapshots.newest.read(call) });
  const beside = { options, model: source, store, extensions, run, known, clock, log };
  const { after, leave, compacting } = afterwardsOf(beside, { title, dream, review, look: runWith });
  const compactor = compacting(options.summary === false ? compaction : compactorIn(summing));
  const sessions = new Sessions({
    ...shared,
    openModel: async (stored) => {
      const model = usable(await source.open(), options.language);
      const prompt = await prompts.forSession(stored, model);
      await settleLeft(stored, { children, checkpoints: options.checkpoints });
      const known = sessionModel(model, { stored, prompt, setup: setupFor(model), options });
      return { ...known, extend: (await extensions?.())?.extend };
    },
    ports: { ...ports, compactor, runtime: options.runtime },
    tools: snapshots,
    backup,
    localTime: options.tellTime === true ? localTime : undefined,
    maxTimeMs: timeLimit("maxTimeMs", options.maxTimeMs),
    onFollowUp: takeFollowUp,
    consolidates: options.consolidate ?? true,
    ...joinsMessages(options),
    afterTurn: endings(children, after),
    describe: vision && describeFor(source, { run: (spec) => run(vision, spec), log }),
  });
  return {
    sessions,
    after,
    children,
    leave,
    runAt: run,
    openOther: (found) => openOther(usable(found, options.language)),
  };
}

const sharedBy = (
  store: Store,
  options: AgentParts["options"],
  log: NonNullable<AgentOptions["onDiagnostic"]>,
): Pick<SessionsOptions, "store" | "log" | "trace" | "newId" | "program"> & Pick<Runner, "caps"> => ({
  store,
  caps: capsOf(options),
  newId: randomUUID,
  log,
  trace: options.trace,
  program: options.program ?? ownVersion,
});

/** What a process has left in a session: its children, and what calls of its turn have done to files until now. */
async function settleLeft(
  stored: Pick<StoredSession, "sessionId" | "openTurn">,
  { children, checkpoints }: Pick<AgentWork, "children"> & { readonly checkpoints: Checkpoints | undefined },
): Promise<void> {
  const left = unfinishedIn(stored);
  children?.settleLeft(stored.sessionId, left);
  if (left !== undefined) await checkpoints?.settle(left);
}

const unfinishedIn = ({ openTurn: [first] }: Pick<StoredSession, "openTurn">): string | undefined =>
  first?.type === "turn-start" ? first.turnId : undefined;

/** Whoever asks for children without naming the tool is given it. */
const withChildren = ({ tools = [], children }: AgentOptions): readonly Tool[] =>
  children === undefined || tools.some(({ name }) => name === DELEGATE_TASK) ? tools : [...tools, delegateTaskTool];

const childrenOf = (tools: readonly Tool[], at: Parameters<typeof childrenLater>[0]): ChildrenLater | undefined =>
  tools.some(({ name }) => name === DELEGATE_TASK) ? childrenLater(at) : undefined;

const endings = (children: ChildrenLater | undefined, after: Afterwards["after"]): SessionsOptions["afterTurn"] => {
  if (children === undefined) return after && ((ended) => after.ended(ended));
  return (ended) => {
    children.settle(ended);
    after?.ended(ended);
  };
};

type ToolSurroundings = Pick<ToolboxOptions, "rules" | "checkpoints" | "results"> &
  Pick<AgentOptions, "inspectors" | "plugins">;

const aroundTools = (
  { rules, checkpoints, results, inspectors = [], plugins = [] }: ToolSurroundings,
  knowing: Pick<AgentParts, "known" | "learn">,
): ToolboxOptions => ({
  ...knowing,
  inspectors: [...inspectors, ...plugins.filter(isInspector)],
  ...(rules && { rules }),
  ...(checkpoints && { checkpoints }),
  ...(results && { results }),
});

const isInspector = (plugin: Plugin): plugin is Plugin & Inspector => plugin.inspect !== undefined;

const joinsMessages = ({
  refer,
  rules,
  news,
  beside,
}: AgentParts["options"]): Pick<SessionsOptions, "refer" | "rules" | "news" | "beside"> => ({
  refer,
  rules,
  news,
  beside,
});

const withBeside = (toolbox: Toolbox, beside: AgentParts["options"]["beside"]): Toolbox =>
  beside === undefined ? toolbox : tellingBeside(toolbox, beside);

interface SessionParts {
  readonly stored: Pick<StoredSession, "nonce">;
  readonly prompt: SessionPrompt;
  readonly setup: Setup;
  readonly options: AgentOptions;
}

function sessionModel(model: OpenedModel, { stored, prompt, setup, options }: SessionParts): SessionModel {
  const { transport, about } = model;
  const begins = isInformed(options) ? ({ informed: true } as const) : {};
  const other = options.runtime && { runtime: options.runtime.name };
  return {
    setup: { ...setup, ...begins, ...other },
    about,
    prompt,
    open: (tools) => {
      const opening = { system: prompt.text, tools, nonce: stored.nonce };
      return { model: transport.open(opening), overhead: overheadOf(model, opening) };
    },
  };
}

const openOther = (model: OpenedModel): OtherModel => otherModel(model, namedModel(model));

/** `identity`: what its prompt and the facts call it. */
const otherModel = (model: OpenedModel, identity: ModelName): OtherModel => ({
  ...namedModel(model),
  ...identity,
  overhead: (session) => overheadOf(model, session),
  open: (session) => model.transport.open({ ...session, identity }),
});

const namedModel = ({
  model,
  about,
  facts,
  contextWindow,
}: OpenedModel): Pick<Setup, "model" | "provider" | "price" | "contextWindow"> => ({
  model,
  provider: about.provider,
  price: priceOf(facts),
  contextWindow,
});

/** Nothing is estimated where nobody knows how many tokens the model takes. */
const overheadOf = (
  { contextWindow, model }: OpenedModel,
  { system, tools }: Pick<Opening, "system" | "tools">,
): number | undefined => {
  if (contextWindow === undefined) return undefined;
  const steering = tools.length === 0 ? "" : steerStatement("");
  const family = familyOf(model);
  return textTokens(system, family) + textTokens(steering, family) + toolTokens(tools, family);
};

function placeOf({ about }: OpenedModel): Pick<Setup, "host" | "local"> {
  const url = URL.parse(about.baseUrl ?? "");
  return url === null ? {} : { host: url.host, ...(isLocalHost(url.hostname) && { local: true }) };
}

function setupsOf(options: AgentOptions): (model: OpenedModel) => Setup {
  const policies = policiesOf(options);
  return (model) => ({ ...policies, ...namedModel(model), ...placeOf(model) });
}

const policiesOf = (options: AgentOptions): Omit<Setup, "model" | "provider"> => ({
  ...(options.fallback !== undefined && options.fallback.length > 0 && { fallbacks: options.fallback.length }),
  maxIterations: iterationLimit(options.maxIterations),
  ...(options.maxOutput !== undefined && { maxOutput: outputLimit(options.maxOutput) }),
  approvals: options.approvals ?? "never",
  ...(options.children?.parallel !== undefined && { children: options.children.parallel }),
  ...(options.attended === true && { attended: true as const }),
  ...(options.approvalMinutes !== undefined && { approvalMs: approvalTime(options.approvalMinutes) }),
  retry: { ...UNATTENDED_RETRY, ...options.retry, mode: retryMode("retry.mode", options.retry?.mode) ?? "standard" },
  guardrails: { ...UNATTENDED_GUARDRAILS, ...readGuardrails({ ...options.guardrails }) },
  failOnToolError: options.failOnToolError ?? false,
});

export function iterationLimit(limit: number = MAX_ITERATIONS): number {
  if (limit === Infinity || (Number.isInteger(limit) && limit > 0)) return limit;
  throw new RangeError(`maxIterations must be a whole number above zero, or Infinity; it is ${limit}.`);
}
