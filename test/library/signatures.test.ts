import { expect, test } from "vitest";
import { bench, tool } from "../support/agent-in-folder.ts";
import { delta, DONE, say, type Step, stream } from "../support/wire-script.ts";

const EXTRA = { google: { thought_signature: "CtkBAR/+z==", b: 1, a: [null, "\u{1F600}"] } };

/** A call as Gemini's compatible endpoint streams it: the signature comes with the first piece, or behind the last. */
const signed = (id: string, late: boolean): Step => {
  const piece = (fields: object): string => delta({ tool_calls: [{ index: 0, ...fields }] });
  return stream([
    piece({ id, function: { name: "look", arguments: "{}" }, ...(!late && { extra_content: EXTRA }) }),
    piece({ function: { arguments: "" }, ...(late && { extra_content: EXTRA }) }),
    piece({ extra_content: null }),
    delta({}, "tool_calls"),
    DONE,
  ]);
};

test.each([false, true])(
  "[C3] [HIST-11] a thought signature on a call goes back verbatim, to its own provider alone (late: %s)",
  async (late) => {
    await using on = await bench(
      signed("a", late),
      ...["1", "2", "3", "4", "5"].map((text) => say(text, { newHead: true })),
    );
    const tools = [tool("look", () => "seen")];
    const asked = [
      { model: "gemini-3-pro", provider: "google" },
      { model: "gemini-3-pro", provider: "google" },
      { model: "gemini-3-flash", provider: "google" },
      { model: "gpt-9", provider: "google" },
      { model: "gemini-3-pro", provider: "elsewhere" },
    ];
    for (const options of asked) {
      await using bot = on.agent({ tools, ...options });
      expect((await bot.run("go", { sessionId: "s" })).ok).toBe(true);
    }
    const sent = on.provider.requests
      .slice(1)
      .map(({ text }) => text.includes(`},"extra_content":${JSON.stringify(EXTRA)}}]`));
    expect(sent).toEqual([true, true, true, false, false]);
    expect(on.provider.requests.map(({ text }) => text.includes("extra_content"))).toEqual([false, ...sent]);
  },
);
