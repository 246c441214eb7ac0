import type { Key } from "./keys.ts";

const count = (
  name: string,
  meaning: string,
  more: Pick<Key, "takes"> & Partial<Pick<Key, "usual" | "usually">>,
): Key => ({
  name: `children.${name}`,
  meaning,
  project: "lower",
  ...more,
});

/** How far work is given on to child agents (row I4). */
export const CHILDREN_KEYS: readonly Key[] = [
  count("iterations", "model calls of one child agent", { takes: { type: "count", of: "calls" }, usual: 250 }),
  count("parallel", "tasks that one call of delegate_task may give", {
    takes: { type: "count", of: "tasks", most: 10 },
    usual: 3,
  }),
  {
    name: "children.nested",
    takes: { type: "switch" },
    meaning: "whether child agents may have children of their own, and these no more",
    usual: false,
    project: "nothing",
  },
  count("minutes", "how long a child agent may run in one go", {
    takes: { type: "count", of: "minutes" },
    usually: "as long as it takes",
  }),
];
