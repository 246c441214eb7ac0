import { type AfterJob, AfterWork } from "./session/after-work.ts";
import type { Clock } from "./protocol/ports.ts";
import type { Diagnostic } from "./session/diagnostic.ts";

interface AfterPorts {
  readonly clock: Clock;
  readonly log: (diagnostic: Diagnostic) => void;
}

/** What an agent does beside its sessions when an answer has been delivered; undefined: nothing. */
export function afterWorkOf(ports: AfterPorts): AfterWork | undefined {
  const jobs: readonly AfterJob[] = [];
  return jobs.length === 0 ? undefined : new AfterWork(jobs, ports);
}
