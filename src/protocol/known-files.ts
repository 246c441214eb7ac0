import { callsOf, type KnownFile, type Message } from "./message.ts";

type History = readonly (Message | undefined)[];

/**
 * The version of a file that the model knew when it wrote this call; undefined: it has never seen the file. What other
 * calls of the same reply have read, it had not seen; what they have written, it has written itself (row E4).
 */
export function knownVersion(history: History, callId: string, path: string): string | undefined {
  const written = replyOf(history, callId);
  for (let at = history.length - 1; at >= 0; at--) {
    const file = filesOf(history[at]).findLast((known) => known.path === path);
    if (file !== undefined && (file.shown === undefined || at < written)) return file.version;
  }
  return undefined;
}

/** These lines of a file stand as they are in what is sent to the model: `from` is the first place that nothing was cut of. */
export const isShown = (history: History, from: number, { path, version, shown }: Required<KnownFile>): boolean =>
  history.some(
    (message, at) =>
      at >= from &&
      filesOf(message).some(
        (known) =>
          known.path === path &&
          known.version === version &&
          known.shown !== undefined &&
          known.shown.first <= shown.first &&
          known.shown.last >= shown.last,
      ),
  );

/**
 * What was known of files when a model wrote this call, for whoever acts for it later: what other calls of the same reply
 * have shown is left out.
 */
export function knownBefore(history: History, callId: string): History {
  const written = replyOf(history, callId);
  return history.map((message, at) => {
    if (at < written || message?.role !== "tool" || message.files === undefined) return message;
    return { ...message, files: message.files.filter(({ shown }) => shown === undefined) };
  });
}

const filesOf = (message: Message | undefined): readonly KnownFile[] =>
  message?.role === "tool" ? (message.files ?? []) : [];

/** The place of the reply that made a call; where nobody knows it, everything stands before it. */
function replyOf(history: History, callId: string): number {
  const at = history.findLastIndex(
    (message) => message?.role === "assistant" && callsOf(message).some((call) => call.callId === callId),
  );
  return at < 0 ? history.length : at;
}
