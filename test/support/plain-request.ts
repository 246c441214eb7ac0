import type { ModelRequest } from "../../src/protocol/ports.ts";

/** What a request is that asks for nothing special, beside whom it asks what. */
export const PLAIN_REQUEST: Pick<
  ModelRequest,
  "compaction" | "tail" | "noTools" | "continues" | "maxOutput" | "streaming"
> = {
  compaction: undefined,
  tail: [],
  noTools: false,
  continues: false,
  maxOutput: undefined,
  streaming: true,
};
