import type { Key } from "./keys.ts";

/** What tools may reach of this machine and its network (security §3.5 step 8). */
export const EGRESS_KEYS: readonly Key[] = [
  {
    name: "egress.allow",
    takes: { type: "allowances" },
    meaning:
      "what of this machine and its network tools reach, and for what: tool (pages), picture, search, mcp or home; " +
      "addresses that give out the keys of a machine in a cloud are never reached",
    usually: "none; servers that other settings name are reached for what they are named for",
    project: "nothing",
  },
];
