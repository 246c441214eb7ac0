/** Where a message of a chat comes from, as far as it decides which session it belongs to. */
export interface ChatPlace {
  /** `telegram`, `discord`, … */
  readonly channel: string;
  /** `dm` for two people; else what the channel calls it: `group`, `channel`, … */
  readonly kind: string;
  readonly chatId?: string;
  readonly threadId?: string;
  readonly userId?: string;
  /** A name of the same user that changes less; it wins. */
  readonly stableUserId?: string;
}

export interface SessionKeyOptions {
  /** Each member of a group has a session of their own; true when absent. */
  readonly perUser?: boolean;
  /** And so in a thread, which is else one session for all; false when absent. */
  readonly perUserInThreads?: boolean;
  /** WhatsApp knows one person under several ids: from such an id, without what stands behind `@`, to the phone number. */
  readonly aliases?: ReadonlyMap<string, string>;
}

/**
 * The id of the session that a message of a chat belongs to: the same place always has the same one, and two places have
 * two as long as no id holds a colon (hermes.md §21).
 */
export function sessionKey(place: ChatPlace, options: SessionKeyOptions = {}): string {
  const { channel, kind, threadId } = place;
  const whatsapp = channel === "whatsapp";
  const id = (raw: string | undefined): string => (whatsapp ? canonical(raw ?? "", options) : (raw ?? ""));
  const chat = id(place.chatId);
  const user = id(place.stableUserId || place.userId);
  const parts = kind === "dm" ? [chat || user, threadId] : [chat, threadId, ownSession(place, options) ? user : ""];
  return ["agent", "main", channel, kind, ...parts].filter((part) => part !== undefined && part !== "").join(":");
}

const ownSession = ({ threadId = "" }: ChatPlace, options: SessionKeyOptions): boolean =>
  (options.perUser ?? true) && (threadId === "" || (options.perUserInThreads ?? false));

/** Neither the server nor the device belongs to who somebody is. */
function canonical(id: string, { aliases }: SessionKeyOptions): string {
  const bare = id.replace(/[:@].*$/u, "");
  return aliases?.get(bare) ?? bare;
}
