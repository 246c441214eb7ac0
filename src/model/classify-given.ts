import type { Failure } from "../protocol/failure.ts";
import type { FailureGiven } from "../protocol/failure-given.ts";
import { loadDialect } from "./dialects.ts";
import { hosted } from "./discovery/catalogue.ts";
import type { Telling } from "./failure/refusal.ts";
import { failureOfThrown } from "./failure/thrown.ts";

/** What a turn would make of this failure. Nobody is asked. */
export async function classifyGiven({ what, provider, ...sizes }: FailureGiven, nowMs: number): Promise<Failure> {
  const where = provider === "" ? "the server" : provider;
  const telling: Telling = { where, nowMs, sent: { provider, ...sizes } };
  if (what.type === "thrown") return failureOfThrown(what.error, telling);
  const dialect = await loadDialect(hosted(provider)?.api ?? "chat_completions");
  const { status, headers, body } = what;
  return dialect.failureOfStatus({ ...telling, status, headers, body });
}
