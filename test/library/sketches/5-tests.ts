import { agent, tool } from "evander";
import { expectTurn, fail, say, script } from "evander/testing";
import { z } from "zod";

const stock = tool("stock", {
  about: "Units in stock for a SKU",
  input: z.object({ sku: z.string() }),
  effect: "pure",
  run: ({ sku }) => ({ sku, units: 0 }),
});

const model = script([say.tool("stock", { sku: "A1" }), fail.rateLimit({ retryAfter: 2 }), say.text("Order 3.")]);
await using bot = agent({ model, tools: [stock], clock: "fake" });
const result = await bot.run("reorder?");
expectTurn(result).toExit("text_response").toHaveIterations(2).toHaveRetries(1).toHaveRefunds(0);
console.log(result.answer);
