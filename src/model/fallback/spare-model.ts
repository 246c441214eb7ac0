import { createHash } from "node:crypto";
import type { Failure } from "../../protocol/failure.ts";
import type { Model, ModelReply } from "../../protocol/ports.ts";
import { verdict } from "../failure/verdict.ts";
import type { Limit, Limited, Limits } from "./limits.ts";

/** A shorter wait is over before others would come to it, and may be a crowd at some server behind this one, ms. */
const WORTH_SHARING_MS = 60_000;
/** Timers and clocks do not agree to the millisecond. */
const TOLERANCE_MS = 100;

interface Sparing {
  readonly provider: string;
  /** Of its address and key; `keyPrint` makes it. */
  readonly key: string;
  readonly limits: Limits;
  readonly now: () => number;
}

/** Tells two accounts from each other without showing either. */
export const keyPrint = (baseUrl: string, apiKey: string | undefined): string =>
  createHash("sha256")
    .update(`${baseUrl}\n${apiKey ?? ""}`)
    .digest("hex")
    .slice(0, 8);

/** A model that is not asked while a limit of its server is known, and that tells others of one it meets (row D12). */
export const spared = (model: Model, { provider, key: own, limits, now }: Sparing): Model => ({
  ...model,
  prepare(request) {
    const prepared = model.prepare(request);
    const { key = own } = prepared;
    const whom: Limited = { provider, model: request.model, key };
    return {
      ...prepared,
      send: async (emit, signal): Promise<ModelReply> => {
        const limit = limits.against(whom, now());
        const waitMs = limit === undefined ? 0 : limit.untilMs - now();
        if (limit !== undefined && waitMs > TOLERANCE_MS) return { type: "failure", failure: unsent(limit, waitMs) };
        const reply = await prepared.send(emit, signal);
        if (reply.type === "failure") share(reply.failure, whom, { limits, now });
        return reply;
      },
    };
  },
});

/** What passes soon is not told: a server that is only crowded says no otherwise than one whose limit is used up. */
function share({ reason, retryAfterMs = 0 }: Failure, whom: Limited, to: Pick<Sparing, "limits" | "now">): void {
  if (isShared({ reason, retryAfterMs })) {
    const nowMs = to.now();
    to.limits.add({ ...whom, reason, untilMs: nowMs + retryAfterMs }, nowMs);
  }
}

/** Whether a refusal tells of a limit that holds for everybody who asks with this key. */
export const isShared = ({ reason, retryAfterMs = 0 }: Pick<Failure, "reason" | "retryAfterMs">): boolean =>
  reason === "rate_limit" && retryAfterMs >= WORTH_SHARING_MS;

function unsent({ provider, model, untilMs }: Limit, waitMs: number): Failure {
  const until = new Date(untilMs).toISOString().slice(11, 19);
  return {
    ...verdict("rate_limit", "known-limit"),
    unsent: true,
    retryAfterMs: Math.ceil(waitMs),
    message: `${provider}/${model} is not asked before ${until} UTC: it has said that its limit is used up.`,
  };
}
