/**
 * The facts of a whole turn without tools, as much of it as the oracle asks for: how it begins, and how it ends.
 * @param {string} turnId
 * @param {number} seq of its first message
 * @param {number} size characters of each message
 * @returns {{ begin: any[], end: any[] }}
 */
export function wholeTurn(turnId, seq, size) {
  const text = (/** @type {string} */ role, /** @type {string} */ what) => ({
    role,
    parts: [{ type: "text", text: what }],
  });
  const answer = `answer of ${turnId} ${"x".repeat(size)}`;
  const asked = text("user", `question of ${turnId} ${"x".repeat(size)}`);
  return {
    begin: [{ type: "turn-start", turnId, seq, message: asked, model: "m", provider: "p", maxIterations: 1 }],
    end: [
      { type: "assistant-message", seq: seq + 1, message: text("assistant", answer), finish: "stop" },
      { type: "turn-end", outcome: { exit: "text_response", answer } },
    ],
  };
}
