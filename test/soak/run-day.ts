// `node test/soak/run-day.ts TURNS SEED` lives through a day: progress on stderr, the report as JSON on stdout.
import { Day } from "./day.ts";

const [turns = "2000", seed = "1"] = process.argv.slice(2);
const report = await new Day({
  turns: Number(turns),
  seed: Number(seed),
  onProgress: (done) => process.stderr.write(`${done}\n`),
}).run();
process.stdout.write(JSON.stringify(report));
