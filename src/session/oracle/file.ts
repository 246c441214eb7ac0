import type { BreachKind } from "../../protocol/oracle.ts";
import type { StoreAudit, Stray } from "../../protocol/store-audit.ts";
import type { Findings } from "./walk.ts";

const STRAYS: Readonly<Record<Stray["kind"], BreachKind>> = {
  row: "row-stray",
  opening: "opening-damaged",
  charge: "charge-astray",
};

/** I9: the pages of the file agree, every row belongs to something, and the index knows what was said. */
export function checkFile({ damage, strays, search }: StoreAudit, findings: Findings): void {
  for (const line of damage) findings.tell("file-damaged", line);
  for (const { kind, what } of strays) findings.tell(STRAYS[kind], what);
  const { unknown, missing, ahead } = search;
  if (unknown.length + missing.length > 0 || ahead)
    findings.tell("search-differs", `-${missing.length} +${unknown.length}${ahead ? " >" : ""}`);
}
