import type { BuiltInOptions } from "../tools/built-in.ts";

/** What tools for later and for other chats are made with; no gateway runs in this program, so neither is offered. */
export const automation = (): Required<BuiltInOptions>["automation"] => ({
  now: Date.now,
  zone: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
  threatsIn: async (text) => (await import("../context/prompt/threats.ts")).threatsIn(text),
});
