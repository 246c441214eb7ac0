import { once } from "node:events";
import { readInput } from "../../session/input.ts";
import { kindOfFile } from "../../words/files.ts";
import { BRANCH_WORDS } from "../../words/branches.ts";
import { wordsIn, type Text } from "../../words/language.ts";
import { duration } from "../../words/durations.ts";
import {
  keepsNothing,
  noSuchPromptFile,
  notText,
  PROMPT_WORDS,
  promptTooLong,
  silentStdin,
  stdinUnreadable,
} from "../../words/prompt.ts";
import { RECORD_WORDS } from "../../words/records.ts";
import { SOME_BINARY } from "../adapters.ts";
import { languageFor, type PromptFlags } from "../flags.ts";
import { type Io, say } from "../io.ts";
import { usageRefusal } from "../refusal.ts";
import { asContext, type Attachment, readFile, readFiles, type Reader, whyOf } from "./attachments.ts";
import { type Capped, isCut, readCapped, sizeOf, textOfCapped } from "./capped.ts";
import type { Headless } from "./run.ts";
import type { Stopper } from "./stopper.ts";

/** What a person or a script asks, with all that was handed in. */
export interface Prompt {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

const STDIN = "stdin";
/** `-f -` */
const DASH = "-";

/** Reads words, files and stdin. Throws RefusalError for what cannot be sent, before anything is. */
export async function readPrompt(run: Headless, stopper: Stopper): Promise<Prompt> {
  const { flags, io, adapters } = run;
  const language = languageFor(flags, io.env);
  const warn = (words: Text): void => {
    if (flags.quiet !== true) say(io.stderr, `evander: ${wordsIn(words, language)}`);
  };
  const reader: Reader = { cwd: io.cwd, fileKind: adapters.fileKind, readPicture: adapters.readPicture, warn };
  if (typeof flags.prompt === "string") return promptInWords(flags.prompt, run, { stopper, reader });
  if (flags.file?.includes(DASH) === true) throw usageRefusal(PROMPT_WORDS.stdinTwice);
  if (io.stdin.isTTY === true) say(io.stderr, wordsIn(PROMPT_WORDS.typeIt, language));
  try {
    const text = await promptFrom(STDIN, await stopper.before(stdin(io, PROMPT_BYTES)), reader);
    return { text, attachments: await readFiles(flags.file ?? [], reader) };
  } catch (error) {
    // The terminal has written ^C where the cursor was.
    if (io.stdin.isTTY === true) say(io.stderr, "");
    throw error;
  } finally {
    // A read that nobody waits for any more would keep the process.
    io.stdin.destroy();
  }
}

interface Reading {
  readonly stopper: Stopper;
  readonly reader: Reader;
}

async function promptInWords(
  words: string,
  { flags, io }: Pick<Headless, "flags" | "io">,
  { stopper, reader }: Reading,
): Promise<Prompt> {
  const files = flags.file ?? [];
  const named = files.filter((name) => name !== DASH);
  const insist = named.length < files.length;
  const text = await writtenPrompt(words, reader);
  const attachments = await readFiles(named, reader);
  if (io.stdin.isTTY === true && !insist) return { text, attachments };
  try {
    const piped = await stopper.before(pipedIn(io, { insist, signal: stopper.signal, warn: reader.warn }));
    return { text, attachments: [...attachments, ...(piped ? await asContext(STDIN, piped, reader) : [])] };
  } finally {
    io.stdin.destroy();
  }
}

async function writtenPrompt(words: string, reader: Reader): Promise<string> {
  const [, path] = /^@(\S+)$/u.exec(words) ?? [];
  if (path !== undefined)
    return promptFrom(path, await readFile(path, { ...reader, kept: PROMPT_BYTES }, noSuchPromptFile), reader);
  return visible(words);
}

/** Half of the longest prompt, bytes. */
const PROMPT_BYTES = 16 * 1024 * 1024;

/** A prompt is sent whole or not at all. A NUL in it does not make it something else: it is dropped (row A4). */
async function promptFrom(source: string, capped: Capped, { fileKind }: Reader): Promise<string> {
  const kind = await fileKind(capped.head);
  if (kind !== undefined && kind !== SOME_BINARY) throw usageRefusal(notText(source, kindOfFile(kind)));
  if (isCut(capped)) throw usageRefusal(promptTooLong(source, sizeOf(capped.bytes), sizeOf(2 * PROMPT_BYTES)));
  return visible(textOfCapped(capped));
}

function visible(text: string): string {
  const input = readInput(text);
  if (input.type === "blank") throw usageRefusal(PROMPT_WORDS.none);
  return input.text;
}

async function stdin(io: Io, kept?: number): Promise<Capped> {
  try {
    return await readCapped(io.stdin, kept);
  } catch (error) {
    throw usageRefusal(stdinUnreadable(whyOf(error)));
  }
}

/** A pipe that nobody writes to and nobody closes is left after so long, ms: many programs start others with one. */
const PATIENCE_MS = 3_000;

interface Piped {
  /** Nobody waits any more. */
  readonly signal: AbortSignal;
  /** It was asked for by name: it is waited for, however long it takes. */
  readonly insist: boolean;
  readonly warn: (words: Text) => void;
}

/** What stands on stdin beside a prompt in words; undefined when nothing comes. */
async function pipedIn(io: Io, { insist, signal, warn }: Piped): Promise<Capped | undefined> {
  if (insist || (await speaks(io.stdin, signal))) return stdin(io);
  if (!signal.aborted) warn(silentStdin(duration(PATIENCE_MS)));
  return undefined;
}

async function speaks(stream: Io["stdin"], stopped: AbortSignal): Promise<boolean> {
  if (stream.readableEnded || stream.readableLength > 0) return true;
  const enough = new AbortController();
  const timer = setTimeout(() => enough.abort(), PATIENCE_MS);
  try {
    await once(stream, "readable", { signal: AbortSignal.any([enough.signal, stopped]) });
    return true;
  } catch (error) {
    if (enough.signal.aborted || stopped.aborted) return false;
    throw usageRefusal(stdinUnreadable(whyOf(error)));
  } finally {
    clearTimeout(timer);
  }
}

/** Flags that contradict each other. Throws RefusalError. */
export function checkFlags(flags: PromptFlags): void {
  const wrong = contradiction(flags);
  if (wrong !== undefined) throw usageRefusal(wrong);
}

function contradiction(flags: PromptFlags): Text | undefined {
  const { output, messages, quiet, verbose, save, idempotencyKey: key } = flags;
  if (messages === true && output === "text") return PROMPT_WORDS.messagesNeedJson;
  if (quiet === true && verbose === true) return PROMPT_WORDS.quietAndVerbose;
  if (key !== undefined && !/^[^\p{Cc}\s]{1,200}$/u.test(key)) return PROMPT_WORDS.badKey;
  return sessionTrouble(flags) ?? (save === false ? needsSaving(flags) : undefined);
}

function sessionTrouble(flags: PromptFlags): Text | undefined {
  if (flags.resume?.trim() === "" || flags.fork?.trim() === "") return RECORD_WORDS.blankSession;
  return flags.new === true && flags.resume !== undefined ? PROMPT_WORDS.sessionTwice : forkTrouble(flags);
}

function forkTrouble({ fork, at, resume, new: isNew, save, idempotencyKey: key }: PromptFlags): Text | undefined {
  if (fork === undefined) return at === undefined ? undefined : BRANCH_WORDS.atWithoutFork;
  if (resume !== undefined) return BRANCH_WORDS.forkAndResume;
  if (isNew === true) return BRANCH_WORDS.forkAndNew;
  if (key !== undefined) return BRANCH_WORDS.forkAndKey;
  return save === false ? keepsNothing("--fork") : undefined;
}

function needsSaving({ resume, idempotencyKey, approve }: PromptFlags): Text | undefined {
  if (resume !== undefined) return keepsNothing("--resume");
  if (idempotencyKey !== undefined) return keepsNothing("--idempotency-key");
  return approve === "park" ? keepsNothing("--approve park") : undefined;
}
