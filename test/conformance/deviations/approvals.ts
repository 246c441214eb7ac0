import { isObject } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";

/** What people allow for good; docs/decisions/0051-a-yes-is-to-one-plan.md. */
export const APPROVAL_DEVIATIONS: readonly Deviation[] = [
  {
    area: "allowlist",
    applies: (input, expect) => expect === "auto" && isObject(input) && input["command"] === "git  push",
    ours: () => "ask",
    reason:
      "what a push changes lies outside of this machine and cannot be taken back: each one asks, and no rule can be made",
    spec: "docs/decisions/0051",
  },
];
