import { agent, tool } from "evander";
import { z } from "zod";

const shelf = new Map([["A1", 12]]);

const stock = tool("stock", {
  about: "Units in stock for a SKU",
  input: z.object({ sku: z.string().regex(/^[A-Z]\d$/u) }),
  effect: "pure",
  run: ({ sku }, { output }) => {
    output(`looking for ${sku}`);
    return { sku, units: shelf.get(sku) ?? 0 };
  },
});

await using bot = agent({ tools: [stock] });
const result = await bot.run("What should I reorder?");
console.log(result.answer);
for (const { name, status, detail } of result.toolEvents) console.log(name, status, detail);
