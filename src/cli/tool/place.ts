import type { Hands } from "../adapters.ts";
import type { CommandContext } from "../context.ts";
import { openHands, placeOf } from "../set-up.ts";
import type { ToolForm } from "./commands.ts";

/** The tools of the folder that is asked for. Those that look for sessions find the ones that are kept, or none. */
export async function withHands<T>(
  { io, adapters }: Pick<CommandContext, "io" | "adapters">,
  form: ToolForm,
  use: (hands: Hands) => Promise<T>,
  from: "sessions" | "nothing",
): Promise<T> {
  const { cwd, config: pairs } = form;
  const flags = { output: "text", ...(cwd !== undefined && { cwd }), ...(pairs && { config: pairs }) } as const;
  const attended = io.stdin.isTTY === true;
  const place = await placeOf({ flags, io }, attended);
  const { store: folder, settings } = place.config;
  const store = await (from === "sessions" ? adapters.openStore({ folder, ...settings }) : adapters.memoryStore());
  try {
    const hands = await openHands({ io, adapters }, place, { store, attended });
    try {
      return await use(hands);
    } finally {
      await hands.close();
    }
  } finally {
    store.close();
  }
}
