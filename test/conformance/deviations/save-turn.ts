import { isObject, type Json, type JsonObject } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";

const rowsOf = (expect: Json, key: string): readonly JsonObject[] => {
  const rows = isObject(expect) ? expect[key] : undefined;
  return Array.isArray(rows) ? rows.filter(isObject) : [];
};

const isBlankUser = (row: JsonObject): boolean => row["role"] === "user" && row["content"] === "";
const isBlankReceipt = (row: JsonObject): boolean => row["role"] === "tool" && row["content"] === "";

export const SAVE_DEVIATIONS: readonly Deviation[] = [
  {
    area: "save_turn",
    applies: (_input, expect) => rowsOf(expect, "appended").some((row) => isBlankUser(row) || isBlankReceipt(row)),
    ours: (_input, expect) => ({
      appended: rowsOf(expect, "appended")
        .filter((row) => !isBlankUser(row))
        .map((row) => (isBlankReceipt(row) ? { ...row, content: "$OMITTED_RESULT" } : row)),
    }),
    reason: "no message is empty: strict servers refuse the whole history because of one",
    spec: "features.md G4; bugs HIST-05, HIST-07",
  },
];
