import { agent, tool } from "evander";
import { z } from "zod";

const prune = tool("prune", {
  about: "Deletes a branch",
  input: z.object({ branch: z.string() }),
  effect: "effect",
  ask: ({ branch }) => `it deletes the branch ${branch}`,
  run: ({ branch }) => `${branch} is gone`,
});
const options = { tools: [prune], store: "./state", approvals: "park" } as const;

async function ask(): Promise<string | null> {
  await using bot = agent(options);
  const result = await bot.run("Clean up old branches");
  if (result.exit.reason === "parked_for_approval")
    for (const { name, why } of result.waitingFor) console.log(name, why);
  return result.turnId;
}

/** On another day, in another process. */
async function decide(turnId: string): Promise<void> {
  await using bot = agent(options);
  const turn = await bot.open(turnId);
  for (const { approvalId } of turn?.pending ?? []) await turn?.decide(approvalId, true);
  const result = await turn?.resume();
  console.log(result?.answer, result?.toolEvents);
}

const turnId = await ask();
if (turnId !== null) await decide(turnId);
