import { type AfterJob, AfterWork } from "./session/after-work.ts";
import type { Clock } from "./protocol/ports.ts";
import type { Diagnostic } from "./session/diagnostic.ts";
import { type Naming, titlesBy } from "./titles.ts";

interface AfterPorts {
  readonly dream: AfterJob | undefined;
  readonly titles: Naming | undefined;
  readonly clock: Clock;
  readonly log: (diagnostic: Diagnostic) => void;
}

/** What an agent does beside its sessions when an answer has been delivered; undefined: nothing. */
export function afterWorkOf({ dream, titles, ...ports }: AfterPorts): AfterWork | undefined {
  const jobs = [titles && titlesBy(titles), dream].filter((job) => job !== undefined);
  return jobs.length === 0 ? undefined : new AfterWork(jobs, ports);
}
