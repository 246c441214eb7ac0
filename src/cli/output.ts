import type { TurnEvent } from "../protocol/fact.ts";
import type { Message } from "../protocol/message.ts";
import type { TurnResult } from "../protocol/result.ts";
import type { Lane } from "../session/lane.ts";
import { printable } from "../session/plain-text.ts";
import type { Language } from "../words/language.ts";
import { filesChangedBy } from "../words/turn-files.ts";
import { answerWith, OPEN_TURN_WORDS } from "../words/open-turns.ts";
import { languageIn, outputOf } from "./flags.ts";
import { type Io, say, sayJson } from "./io.ts";
import { runnable, stepLine } from "./next-steps.ts";
import { promptWarnings, type Warned } from "./prompt-notes.ts";
import { callLines } from "./screen/approvals.ts";
import type { Follower, Viewer } from "./screen/follower.ts";
import type { Surface } from "./screen/surface.ts";

/** How a headless turn is reported: whatever happens, `result` is called exactly once, last. */
export interface Output {
  /** Gets ready before the turn; where a person reads it while it goes on, or undefined where only programs do. */
  open(): Promise<Surface | undefined>;
  /** The session whose turn begins or goes on. */
  begin(lane: Lane): void;
  event(event: TurnEvent): void;
  /** Something that does not stop the turn and that whoever asked should know. */
  warning(code: string, message: string): void;
  /** `messages`: those of the turn, where they were asked for. */
  result(result: TurnResult & { readonly messages?: readonly Message[] }): void;
}

/** The output of one run of the program: opened once, by its command line, and whoever comes first writes the one result. */
export class RunOutput implements Output {
  /** The session whose turn has begun here. */
  sessionId: string | undefined;
  private readonly output: Output;
  private readonly warningsOf: (event: TurnEvent) => readonly Warned[];
  private ended = false;

  constructor(argv: readonly string[], io: Io) {
    this.output = openOutput(argv, io);
    const language = languageIn(argv, io.env);
    this.warningsOf = (event) => promptWarnings(event, language, io.env);
  }

  open(): Promise<Surface | undefined> {
    return this.output.open();
  }

  begin(lane: Lane): void {
    this.sessionId = lane.sessionId;
    this.output.begin(lane);
  }

  event(event: TurnEvent): void {
    this.output.event(event);
    for (const { code, message } of this.warningsOf(event)) this.output.warning(code, message);
  }

  warning(code: string, message: string): void {
    this.output.warning(code, message);
  }

  result(result: Parameters<Output["result"]>[0]): void {
    if (this.ended) return;
    this.ended = true;
    this.output.result(result);
  }
}

type Noise = "quiet" | "usual" | "verbose";

interface Telling extends Viewer {
  readonly noise: Noise;
}

const noiseOf = (argv: readonly string[]): Noise =>
  argv.includes("--quiet") ? "quiet" : argv.includes("--verbose") ? "verbose" : "usual";

function openOutput(argv: readonly string[], io: Io): Output {
  const noise = noiseOf(argv);
  switch (outputOf(argv)) {
    case "text":
      return textOutput(io, { noise, plain: argv.includes("--plain"), language: languageIn(argv, io.env) });
    case "json":
      return {
        open: () => Promise.resolve(undefined),
        begin: () => undefined,
        event: () => undefined,
        warning: warningOn(io, noise),
        result: (result) => sayJson(io, result),
      };
    case "jsonl":
      return jsonlOutput(io);
  }
}

const warningOn =
  (io: Io, noise: Noise): Output["warning"] =>
  (_code, message) => {
    if (noise !== "quiet") say(io.stderr, printable(`warning: ${message}`));
  };

/** The answer alone on stdout; what happens on the way, and why it ended, on stderr. */
function textOutput(io: Io, { noise, ...viewer }: Telling): Output {
  const follows = noise === "verbose" || (noise === "usual" && io.stderr.isTTY === true);
  let follower: Follower | undefined;
  return {
    // Where nobody looks on, what draws is not even loaded.
    open: async () => {
      if (follows) follower = (await import("./screen/follower.ts")).openFollower(io, viewer);
      return follower?.surface;
    },
    begin: (lane) => follower?.begin(lane),
    event: (event) => follower?.event(event),
    warning: warningOn(io, noise),
    result: (result) => {
      follower?.done();
      // A plug-in may show an answer in other words; where there was none, `shown` holds why, which stderr tells.
      const text = result.ok ? result.shown : result.answer;
      if (text !== null) say(io.stdout, text.trimEnd());
      for (const line of endLines(result, io.env, viewer.language)) say(io.stderr, line);
      if (follows && result.files.length > 0) say(io.stderr, changedLine(result, io.env, viewer.language));
    },
  };
}

/** One JSON object a line, `seq` without gaps; the last is the result. A message's own place is called `place`. */
function jsonlOutput(io: Io): Output {
  let count = 0;
  const line = (body: object): void => sayJson(io, { ...body, seq: count++, ts: Date.now() });
  return {
    open: () => Promise.resolve(undefined),
    begin: () => undefined,
    event: (event) => line("seq" in event ? { ...event, place: event.seq } : event),
    warning: (code, message) => line({ type: "warning", code, message }),
    result: (result) => line({ type: "result", ...result }),
  };
}

const changedLine = ({ files, turnId }: TurnResult, env: NodeJS.ProcessEnv, language: Language): string =>
  filesChangedBy(files.length, runnable(`evander turn diff ${turnId}`, env))[language];

/** What came from outside writes no line of its own. */
const asLine = (text: string): string => printable(text.replaceAll(/\s*\n\s*/gu, " "));

/** Why it did not end with an answer, and what can be done. */
export function endLines(result: TurnResult, env: NodeJS.ProcessEnv, language: Language): string[] {
  if (result.ok) return [];
  const { code, message } = result.error ?? { code: result.exit.reason, message: result.exit.explain ?? "" };
  const waiting = result.waitingFor
    .flatMap((call) => [
      ...callLines(call, language),
      answerWith(runnable(`evander approve yes ${call.approvalId}`, env))[language],
    ])
    .map((line) => `  ${line}`);
  const next = result.exit.next.map((step) => `  ${OPEN_TURN_WORDS.next[language]}: ${asLine(stepLine(step, env))}`);
  return [`evander: ${code}: ${asLine(message)}`, ...waiting, ...next];
}
