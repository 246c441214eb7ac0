import type { Key } from "./keys.ts";

/** What decides how scripts run (row E9). */
export const SCRIPTS_KEYS: readonly Key[] = [
  {
    name: "scripts.timeout",
    takes: { type: "count", of: "seconds" },
    meaning: "how long a script may run that does not say how long itself",
    usual: 300,
    project: "lower",
  },
];
