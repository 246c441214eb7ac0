import { rootFolders } from "../../config/folders.ts";
import type { TurnEvent } from "../../protocol/fact.ts";
import { callsOf } from "../../protocol/message.ts";
import type { TurnResult } from "../../protocol/result.ts";
import type { Store, StoredTurn } from "../../protocol/store.ts";
import { pictureLines } from "../../session/picture/draw.ts";
import { pictureOf } from "../../session/picture/picture-of.ts";
import { printable } from "../../session/plain-text.ts";
import { DEMO_OPENING, DEMO_WORDS, demoSteer } from "../../words/demo.ts";
import type { Language } from "../../words/language.ts";
import { priceOf, tokensUsed } from "../../words/totals.ts";
import type { Runtime } from "../adapters.ts";
import { languageFor } from "../flags.ts";
import { drawingRoom, type Io, say } from "../io.ts";
import { runnable, withFlags } from "../next-steps.ts";
import { endLines } from "../output.ts";
import type { Headless } from "../prompt/run.ts";
import { type Begun, Stopper } from "../prompt/stopper.ts";
import { failureResult } from "../refusal.ts";
import { Screen } from "../screen/screen.ts";
import { isDumb, Surface } from "../screen/surface.ts";
import { CHECK_TOOL, PROMPT, STEER, withProject } from "./project.ts";

/** The request that is refused: the model has called its first tools by then. */
const REFUSED_REQUEST = 2;

/** Shows what the tour's turn does, and how it ended. */
interface Guide {
  begin(begun: Begun): void;
  event(event: TurnEvent): void;
  end(result: TurnResult, turn: StoredTurn | undefined): void;
}

/** One scripted turn through the same engine, tools, store and wire as any other. Returns the exit code. */
export async function runDemo(run: Headless, openStore: () => Promise<Store>): Promise<number> {
  const { flags, io } = run;
  const stopper = new Stopper(io);
  try {
    return await tour(run, stopper, await openStore());
  } catch (error) {
    const result = failureResult(error, io, { verbose: false, language: languageFor(flags, io.env) });
    run.output.result(result);
    return result.exit.code;
  } finally {
    stopper.leave();
  }
}

async function tour(run: Headless, stopper: Stopper, store: Store): Promise<number> {
  const runtimes: Runtime[] = [];
  try {
    return await withProject(async (folder) => {
      const runtime = await open(run, store, folder);
      runtimes.push(runtime);
      const guide = guideOf(run);
      const sessionId = run.adapters.newSessionId();
      const turn = await runtime.sessions.start(sessionId, PROMPT);
      const begun = { turn, lane: await runtime.sessions.lane(sessionId) };
      guide.begin(begun);
      const script = new Script(begun, (event) => guide.event(event));
      const ended = await stopper.watch(begun, script, undefined);
      const result = withFlags(ended.result, run.flags, run.io.env);
      guide.end(result, store.turn(result.turnId ?? ""));
      return result.exit.code;
    });
  } finally {
    for (const runtime of runtimes) await runtime.close();
    if (runtimes.length === 0) store.close();
  }
}

const open = ({ adapters, flags, io }: Headless, store: Store, folder: string): Promise<Runtime> =>
  adapters.openRuntime({
    model: { type: "practice", refuses: REFUSED_REQUEST },
    store,
    // What the user has set is for the user's own work.
    settings: {
      providers: [],
      models: [],
      stream: {},
      retry: {},
      review: { when: "never" },
      approval: {},
      dream: { when: "asked" },
      results: {},
      terminal: {},
      search: { keys: {} },
      offline: true,
      // It runs what this program itself has written.
      egress: {},
      home: {},
      children: {},
      sandbox: { mode: "off" },
      scripts: {},
      guardrails: {},
      sync: "four",
      logLevel: "off",
    },
    cwd: folder,
    guarded: Object.values(rootFolders(io)),
    approvals: "all",
    attended: false,
    tools: undefined,
    trace: undefined,
    log: ({ level, line }) => {
      if (level === "warn") say(io.stderr, printable(`warning: ${line.split("\n", 1)[0]}`));
    },
    language: languageFor(flags, io.env),
  });

/** Says something to the turn while its check runs, once. */
class Script {
  private readonly begun: Begun;
  private readonly show: (event: TurnEvent) => void;
  private readonly checks = new Set<string>();
  private said = false;

  constructor(begun: Begun, show: (event: TurnEvent) => void) {
    this.begun = begun;
    this.show = show;
  }

  event(event: TurnEvent): void {
    this.show(event);
    if (event.type === "assistant-message")
      for (const { name, callId } of callsOf(event.message)) if (name === CHECK_TOOL) this.checks.add(callId);
    if (event.type === "segment-start" && event.callIds.some((callId) => this.checks.has(callId))) this.say();
  }

  private say(): void {
    if (this.said) return;
    this.said = true;
    // A commit that fails ends the turn, and its result says so.
    this.begun.turn.steer(STEER).catch(() => undefined);
  }
}

function guideOf({ flags, io, output }: Headless): Guide {
  if (flags.output !== "text")
    return {
      begin: ({ lane }) => output.begin(lane),
      event: (event) => output.event(event),
      end: (result) => output.result(result),
    };
  const language = languageFor(flags, io.env);
  const surface = new Surface(io, { plain: isDumb(io) });
  const screen = new Screen({ io, surface, language, streams: true, tellsWaits: false, mark: "" });
  const tell = (line: string): void => surface.line(printable(line));
  return {
    begin: ({ lane }) => {
      screen.watch(lane);
      for (const line of [...DEMO_OPENING.map((text) => text[language]), "", `> ${PROMPT}`, ""]) tell(line);
    },
    event: (event) => {
      if (event.type === "steer-accepted") tell(`▸ ${demoSteer(event.text)[language]}`);
      screen.event(event);
    },
    end: (result, turn) => {
      screen.done();
      surface.close();
      for (const line of closingLines(result, turn, { io, language })) say(io.stdout, line);
    },
  };
}

interface Reader {
  readonly io: Io;
  readonly language: Language;
}

function closingLines(result: TurnResult, turn: StoredTurn | undefined, { io, language }: Reader): string[] {
  const { exit, cost, usage, ok } = result;
  const page = { ...drawingRoom(io.stdout, io.env), language };
  const words = exit.explain ?? DEMO_WORDS.answered[language];
  const again = ["evander turn show --picture last", "evander turn explain last", "evander"];
  return [
    "",
    `${DEMO_WORDS.exit[language]}: ${exit.reason} (${exit.code}). ${words}`,
    `${DEMO_WORDS.cost[language]}: ${priceOf(cost)[language]}`,
    tokensUsed("turn", usage, language),
    ...(ok ? [] : endLines(result, io.env, language)),
    "",
    `${DEMO_WORDS.picture[language]}:`,
    ...(turn === undefined ? [] : pictureLines(pictureOf(turn), page)),
    "",
    DEMO_WORDS.again[language],
    ...again.map((command) => `  ${runnable(command, io.env)}`),
  ];
}
