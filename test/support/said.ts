import { withoutContexts } from "../../src/protocol/context.ts";
import type { ChatMessage } from "./protocol-police.ts";

/** What the user said in a message as it was sent, without what was added to it. */
export const said = (message: ChatMessage | undefined): string => withoutContexts(String(message?.content));
