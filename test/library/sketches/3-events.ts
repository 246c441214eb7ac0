import { agent, tool, type TurnEvent } from "evander";
import { z } from "zod";

const check = tool("check", {
  about: "Runs the tests",
  input: z.object({}),
  effect: "effect",
  run: () => ({ error: "2 tests failed" }),
});

await using bot = agent({ tools: [check] });
const turn = bot.start("Make the tests pass", { signal: AbortSignal.timeout(600_000) });

for await (const event of turn) {
  if (event.type === "text-delta") process.stdout.write(event.text);
  if (event.type === "retry-scheduled") console.log(`again in ${event.delayMs > 0 ? "a moment" : "no time"}`);
  if (event.type === "receipt" && event.failed === true) await turn.steer("Only touch src/, not the tests.");
}
const { exit, files, pendingSteer } = await turn;

/** The union is closed: a `switch` over the events can be checked by the compiler. */
const closed: string extends TurnEvent["type"] ? false : true = true;
console.log(`\n${exit.reason}`, files.length, pendingSteer.length, closed);
