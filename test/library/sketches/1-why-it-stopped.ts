import { agent } from "evander";

await using bot = agent({ model: "auto" });
const result = await bot.run("Which file here is the entry point?", { maxIterations: 20 });

switch (result.exit.reason) {
  case "text_response":
    console.log(result.answer);
    break;
  case "max_iterations_reached":
    console.warn(result.exit.explain, result.exit.next);
    break;
  default:
    console.error(result.exit.explain);
}
console.log(result.model, result.usage.cacheRead, result.iterations.limit);

/** The union is closed: a `switch` over it can be checked by the compiler. */
const closed: string extends typeof result.exit.reason ? false : true = true;
console.log(closed);
