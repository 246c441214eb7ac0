import { type ChatPlace, sessionKey } from "../../../src/session/session-key.ts";
import { readTitle } from "../../../src/session/title.ts";
import { type Json, type JsonObject } from "../case-file.ts";
import { objectOf, textOf } from "../input.ts";

/** `{source, group_sessions_per_user?, thread_sessions_per_user?, whatsapp_aliases?}`. */
export function sessionKeyCase(input: Json): unknown {
  const {
    source,
    group_sessions_per_user: perUser,
    thread_sessions_per_user: inThreads,
    ...rest
  } = objectOf(input, "input");
  const aliases = rest["whatsapp_aliases"];
  return {
    key: sessionKey(placeOf(objectOf(source, "source")), {
      ...(typeof perUser === "boolean" && { perUser }),
      ...(typeof inThreads === "boolean" && { perUserInThreads: inThreads }),
      ...(aliases !== undefined && { aliases: aliasesOf(objectOf(aliases, "whatsapp_aliases")) }),
    }),
  };
}

const aliasesOf = (aliases: JsonObject): Map<string, string> =>
  new Map(Object.entries(aliases).map(([id, phone]) => [id, textOf(phone, "alias")]));

function placeOf({
  platform,
  chat_type: kind,
  chat_id: chat,
  thread_id: thread,
  user_id: user,
  user_id_alt: alt,
}: JsonObject): ChatPlace {
  return {
    channel: textOf(platform, "platform"),
    kind: textOf(kind, "chat_type"),
    ...(chat !== undefined && { chatId: textOf(chat, "chat_id") }),
    ...(thread !== undefined && { threadId: textOf(thread, "thread_id") }),
    ...(user !== undefined && { userId: textOf(user, "user_id") }),
    ...(alt !== undefined && { stableUserId: textOf(alt, "user_id_alt") }),
  };
}

/** `{title}`; no title is null here too, and one that is refused an error. */
export function sessionTitleCase(input: Json): unknown {
  const { title } = objectOf(input, "input");
  const reading = readTitle(title === null ? "" : textOf(title, "title"));
  switch (reading.type) {
    case "title":
      return { title: reading.title };
    case "blank":
      return { title: null };
    case "too-long":
      return { error: true };
  }
}
