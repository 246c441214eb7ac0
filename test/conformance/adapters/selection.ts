import { shownHistory } from "../../../src/protocol/projection/compaction.ts";
import { type Message, reasoningOf } from "../../../src/protocol/message.ts";
import { fromOpenAi, type OpenAiMessage } from "../../../src/protocol/openai.ts";
import { isSent } from "../../../src/protocol/projection/project.ts";
import { legalStart, recentFrom, replayFrom, snipFrom } from "../../../src/protocol/projection/selection.ts";
import type { Json, JsonObject } from "../case-file.ts";
import { flagOf, listOf, numberOf, objectOf, textOrNone } from "../input.ts";
import { writeBack } from "./openai-rows.ts";
import { weighing } from "./weighing.ts";

/** A row and what our import makes of it; nothing of a row that it drops. Receipts are read wherever they stand. */
interface Read {
  readonly row: JsonObject;
  readonly message: Message;
}

/** Rows as they stand in a file, each for itself: pairs are what is looked at here. */
function readEach(rows: readonly Json[]): readonly Read[] {
  return rows.flatMap((given) => {
    const row = objectOf(given, "row");
    const read = row["role"] === "tool" ? receipt(row) : fromOpenAi([row as unknown as OpenAiMessage])[0];
    return read === undefined ? [] : [{ row, message: read }];
  });
}

/** Thoughts alone are another area. */
const saysSomething = ({ message }: Read): boolean => isSent(message) || reasoningOf(message) !== "";

const receipt = (row: JsonObject): Message => ({
  role: "tool",
  callId: textOrNone(row["tool_call_id"]),
  status: "ok",
  parts: [{ type: "text", text: textOrNone(row["content"]) }],
});

const written = (kept: readonly Read[]): unknown[] =>
  writeBack(
    kept.map(({ message }) => message),
    new Map(kept.map(({ row, message }) => [message, row])),
  );

const rowsOf = (input: JsonObject): readonly Json[] => {
  if (input["generate"] === undefined) return listOf(input["messages"], "messages");
  const pairs = numberOf(objectOf(input["generate"], "generate")["pairs"], "pairs");
  return Array.from({ length: pairs }, (_, at) => [
    { role: "user", content: `u${at}` },
    { role: "assistant", content: `a${at}` },
  ]).flat();
};

/** `{messages}`: the first row that may be kept. */
export function legalStartCase(input: Json): unknown {
  const read = readEach(rowsOf(objectOf(input, "input")));
  return { start_index: legalStart(read.map(({ message }) => message)) };
}

/** `{messages, last_consolidated, max_messages, max_tokens}`: what of a session a model is shown. */
export function historySelectCase(given: Json): unknown {
  const input = objectOf(given, "input");
  const rows = rowsOf(input);
  const all = readEach(rows).filter(saysSomething);
  const archived = readEach(rows.slice(0, numberOf(input["last_consolidated"] ?? 0, "last_consolidated"))).filter(
    saysSomething,
  ).length;
  const most = numberOf(input["max_messages"] ?? 0, "max_messages");
  const history = all.map(({ message }) => message);
  const from = replayFrom(history, archived);
  const isWhole = most === 0 || (from < archived && history.length - archived < most);
  const shown = all.slice(isWhole ? from : Math.max(from, recentFrom(history, most, flagOf(input["extend_to_user"]))));
  const room = numberOf(input["max_tokens"] ?? 0, "max_tokens");
  const kept =
    room > 0
      ? shown.slice(
          snipFrom(
            shown.map(({ message }) => message),
            room,
            weighing(input),
          ),
        )
      : shown;
  const messages = written(kept);
  return { messages, count: messages.length, first: messages[0], last: messages.at(-1) };
}

/** `{messages, last_consolidated}`: what is left of a session that has grown long. */
export function retainSuffixCase(given: Json): unknown {
  const input = objectOf(given, "input");
  const all = readEach(rowsOf(input));
  const history = all.map(({ message }) => message);
  const left = new Set(shownHistory(history, undefined));
  const archived = numberOf(input["last_consolidated"] ?? 0, "last_consolidated");
  const isGone = ({ message }: Read): boolean => !left.has(message);
  return {
    messages: written(all.filter(({ message }) => left.has(message))),
    last_consolidated: archived - all.slice(0, archived).filter(isGone).length,
    dropped_count: all.filter(isGone).length,
    dropped_already_consolidated: all.slice(0, archived).filter(isGone).length,
  };
}
