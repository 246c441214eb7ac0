import { expect, test } from "vitest";
import type { HistoryCompacted } from "../../protocol/fact.ts";
import type { Lane } from "../lane.ts";
import type { CommandContext } from "./command.ts";
import { compact } from "./compact.ts";

/** What of a command's world it uses; the summary comes when somebody says so. */
function world(signal?: AbortSignal) {
  const told: string[] = [];
  const summary = Promise.withResolvers<HistoryCompacted | undefined>();
  const waiting = Promise.withResolvers<undefined>();
  const lane = { compact: () => summary.promise } as unknown as Lane;
  const tell = (line: string): void => {
    told.push(line);
    waiting.resolve(undefined);
  };
  const context = { lane: () => Promise.resolve(lane), tell, language: "en", signal } as unknown as CommandContext;
  return { context, told, summary, waiting: waiting.promise };
}

const compaction = { through: 4, from: 2, instruction: 2, cutBefore: 0, summary: "S" };

test("[F3] whoever waits for a summary is told what goes on, and then what has come of it", async () => {
  const { context, told, summary, waiting } = world();
  const done = compact(context, "");
  await waiting;
  summary.resolve({ type: "history-compacted", compaction, tokens: { before: 900, after: 200 } });
  await done;
  expect(told).toEqual([
    "The older part of the conversation is being summed up by the model; Ctrl-C stops it.",
    "A summary is sent from here on instead of the older part of the conversation; all of it is kept (~900 → ~200 tokens).",
  ]);
});

test("[F3] [B5] a summary that is stopped changes nothing, and that is said", async () => {
  const stop = new AbortController();
  const { context, told, summary } = world(stop.signal);
  stop.abort();
  summary.resolve(undefined);
  await compact(context, "");
  expect(told).toEqual(["Stopped; the whole conversation is sent as before."]);
});
