import { setImmediate } from "node:timers/promises";
import type { VirtualClock } from "../../src/testing.ts";
import type { Act } from "../dialects/script.ts";
import type { Json } from "../dialects/shape.ts";
import { type DialectServer, fakeDialect, scripted, type Wire } from "../dialects/wire.ts";
import type { Received, ScriptOf } from "../support/fake-server.ts";

/** What is done with each request, however many come. */
export type Rule = (request: Received<Json>) => Act;

export interface RuleServer {
  readonly server: DialectServer;
  rule: Rule;
  /** What it found illegal. */
  violations(): string[];
  close(): Promise<void>;
}

/** Longer than any limit of a call, ms. */
const LONG_MS = 3_600_000;

/** A fake that acts by rule and polices as ever. Where it falls silent, or takes its time, virtual time passes. */
export async function ruleServer(wire: Wire, clock: VirtualClock): Promise<RuleServer> {
  const wait = async (ms: number, gone: AbortSignal): Promise<void> => {
    // What has left is read first.
    for (let turns = 0; turns < 5; turns++) await setImmediate();
    await clock.sleep(ms, gone);
  };
  const onSilence = (gone: AbortSignal): void => {
    wait(LONG_MS, gone).then(
      () => gone.aborted || onSilence(gone),
      () => undefined,
    );
  };
  const server = await fakeDialect({ ...wire, isCall: (route) => route.startsWith("POST ") }, [], {
    heads: "free",
    wait,
    onSilence,
  });
  const next: ScriptOf<Json> = (request) => {
    server.script(next);
    return scripted(wire, self.rule(request))(request);
  };
  server.script(next);
  const self: RuleServer = {
    server,
    rule: () => {
      throw new Error("nobody said what to do");
    },
    violations() {
      try {
        server.verify();
        return [];
      } catch (error) {
        const [, ...lines] = String(error).split("\n");
        // The one step that always waits is no fault.
        return lines.filter((line) => line !== "- 1 steps were never asked for");
      }
    },
    close: () => server.close().catch(() => undefined),
  };
  return self;
}
