import { createParser } from "eventsource-parser";

export interface SseReader {
  feed(text: string): void;
  /** Dispatches a last event that was not closed by a blank line. */
  end(): void;
}

/** Reads an event stream however it is cut. Comments, pings and empty data frames are skipped. */
export function sseReader(onData: (data: string) => void): SseReader {
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data !== "") onData(data);
    },
  });
  return { feed: (text) => parser.feed(text), end: () => parser.feed("\n\n") };
}
