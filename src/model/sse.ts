import { StringDecoder } from "node:string_decoder";
import { createParser } from "eventsource-parser";
import type { FrameReader } from "./dialect.ts";

/** Reads an event stream however it is cut. Comments, pings and empty data frames are skipped. */
export function sseFrames(onEvent: (data: string, name: string | undefined) => void): FrameReader {
  const characters = new StringDecoder("utf8");
  const parser = createParser({
    onEvent: ({ data, event }) => {
      if (data !== "") onEvent(data, event);
    },
  });
  return {
    feed: (bytes) => parser.feed(characters.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))),
    // A last event that was not closed by a blank line counts as well.
    end: () => parser.feed(`${characters.end()}\n\n`),
  };
}
