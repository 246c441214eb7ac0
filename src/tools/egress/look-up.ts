import { lookup } from "node:dns/promises";
import { EgressRefusal } from "../../protocol/egress.ts";
import type { Target } from "./judge-url.ts";
import { lateAfter, LIMITS, type Timer } from "./limits.ts";

/** All addresses of a host, of both kinds; none where there is no such host. */
export type Resolve = (host: string) => Promise<readonly string[]>;

interface Around {
  readonly resolve: Resolve | undefined;
  readonly timer: Timer;
  readonly signal: AbortSignal;
}

/** The one lookup of a request. Rejects with EgressRefusal, or with the reason of the signal. */
export async function lookUp(
  target: Target,
  { resolve = ofSystem, timer, signal }: Around,
): Promise<readonly string[]> {
  if (target.literal) return [target.host];
  signal.throwIfAborted();
  const { promise, resolve: settle, reject } = Promise.withResolvers<readonly string[]>();
  const stop = (): void => reject(signal.reason);
  const forget = lateAfter(timer, LIMITS.connectMs, () =>
    reject(
      new EgressRefusal("failed", `The address of ${target.host} was not found within ${LIMITS.connectMs / 1000} s.`),
    ),
  );
  signal.addEventListener("abort", stop, { once: true });
  resolve(target.host).then(settle, (error: unknown) =>
    reject(new EgressRefusal("failed", `The address of ${target.host} could not be looked up.`, { cause: error })),
  );
  try {
    return await promise;
  } finally {
    forget();
    signal.removeEventListener("abort", stop);
  }
}

const NOT_FOUND = new Set(["ENOTFOUND", "ENODATA", "EAI_NONAME", "EAI_NODATA"]);

const ofSystem: Resolve = async (host) => {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    if (error instanceof Error && "code" in error && NOT_FOUND.has(String(error.code))) return [];
    throw error;
  }
};
