import type { Config } from "../../config/config.ts";
import { askedFor, modelAsked, namedModel } from "../../config/model-asked.ts";
import { DOCTOR } from "../../words/doctor.ts";
import type { Adapters } from "../adapters.ts";
import type { Io } from "../io.ts";
import { type Finding, ok, warning } from "./finding.ts";

/** Whoever of the fallback chain cannot be asked would be passed over without a word when it is needed. */
export async function checkChain(adapters: Adapters, config: Config, io: Io): Promise<Finding[]> {
  const { fallback: chain = [] } = config.settings;
  if (chain.length === 0) return [];
  const asked = modelAsked(config, io, io.cwd);
  const found = await Promise.all(chain.map((name) => adapters.findModel(askedFor(asked, namedModel(name)))));
  const faults = found.flatMap((answer, at): Finding[] => {
    if (answer.type !== "none") return [];
    const text = DOCTOR.passedOver(chain[at] ?? "", answer.message);
    return [warning(`fallback.${at + 1}`, text, answer.next[0]?.command ?? null)];
  });
  return faults.length > 0 ? faults : [ok("fallback", DOCTOR.chain(chain.length))];
}
