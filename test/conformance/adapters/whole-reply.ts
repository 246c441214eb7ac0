import type { Dialect } from "../../../src/model/dialect.ts";
import { ReplyDecoder } from "../../../src/model/reply-decoder.ts";
import type { ModelReply } from "../../../src/protocol/ports.ts";
import type { Json } from "../case-file.ts";

/** What a server says in one piece, read in its dialect. */
export function replyOf(dialect: Dialect, body: Json): ModelReply {
  const decoder = new ReplyDecoder({
    dialect,
    provenance: { provider: "openai", model: "gpt-5.4" },
    takenIds: new Set(),
    continues: false,
    where: "h.test",
    advice: "check the base URL",
    mask: (text) => text,
    now: () => 0,
  });
  decoder.feed(Buffer.from(JSON.stringify(body)));
  decoder.end();
  const { failure } = decoder;
  return failure === undefined ? decoder.reply() : decoder.broken(failure);
}
