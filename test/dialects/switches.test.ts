import { expect, test } from "vitest";
import { agent, type Agent, type Tool, type TurnHandle } from "../../src/index.ts";
import { tool } from "../support/agent-in-folder.ts";
import type { Side } from "./client.ts";
import { calls, replies, says, thinks } from "./script.ts";
import { SUBJECTS } from "./subjects.ts";
import { PNG } from "./talks.ts";
import { type DialectServer, fakeDialect } from "./wire.ts";

const PAIRS = SUBJECTS.flatMap((from) => SUBJECTS.filter((to) => to !== from).map((to) => ({ from, to })));

/** Where a subject is asked. */
const place = ({ wire, model }: Side, server: DialectServer) =>
  ({ model, api: wire.mode, provider: wire.mode, baseUrl: `${server.origin}${wire.base}`, apiKey: "key" }) as const;

const PICTURE = { type: "image", url: `data:image/png;base64,${PNG}` } as const;

/** A tool that is interrupted, and one that brings a picture; `look` may do something first. */
function toolsOf(handle: () => TurnHandle, look: () => Promise<unknown>): Tool[] {
  const wait = tool("wait", async (_, { signal }) => {
    const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    await handle().interrupt();
    await stopped;
  });
  const looks = tool("look", async () => {
    await look();
    return [{ type: "text", text: "the screen:" }, PICTURE];
  });
  return [wait, looks, tool("ls", () => "a.txt")];
}

test.for(PAIRS)(
  "[C2] [C5] a session with an interrupted call, pictures and thoughts goes from $from.wire.mode to $to.wire.mode and back",
  async ({ from, to }) => {
    await using first = await fakeDialect(from.wire, [
      replies([thinks("I wait."), calls("wait", {})]),
      replies([
        thinks(["Look ", "there."]),
        { type: "text", text: "Both." },
        calls("look", {}),
        calls("ls", { path: "a" }),
      ]),
      says("And mine."),
    ]);
    await using second = await fakeDialect(to.wire, [
      replies([thinks("Go on."), calls("ls", { path: "b" })]),
      says("Done there."),
    ]);
    let turn: TurnHandle | undefined;
    const handle = (): TurnHandle => {
      if (turn === undefined) throw new Error("no turn runs");
      return turn;
    };
    const tools = toolsOf(handle, () => handle().switchModel(place(to, second)));
    await using bot: Agent = agent({ ...place(from, first), tools });
    const run = (text: string): TurnHandle => (turn = bot.start(text, { sessionId: "s", attachments: [PICTURE] }));
    expect((await run("wait")).exit.reason).toBe("interrupted_by_user");
    expect(await run("look")).toMatchObject({ answer: "Done there.", provider: to.wire.mode, model: to.model });
    expect(await run("and now")).toMatchObject({ answer: "And mine.", model: from.model });
  },
);
