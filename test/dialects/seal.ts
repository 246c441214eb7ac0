import { createHash } from "node:crypto";
import type { Mode } from "./script.ts";

/**
 * What a provider signs or encrypts its reasoning with. The fake's seals name the dialect and what they were made for,
 * so that a police without a memory sees one that is foreign, was changed, or stands beside another text.
 */
export function seal(mode: Mode, content: string): string {
  const digest = createHash("sha256").update(content).digest("hex");
  return Buffer.from(`sealed ${mode} ${digest}`).toString("base64");
}

/** What is wrong with a seal that came back, or undefined. */
export function sealTrouble(mode: Mode, content: string | undefined, came: unknown): string | undefined {
  if (typeof came !== "string" || came === "") return "carries no seal";
  const text = Buffer.from(came, "base64").toString();
  if (!text.startsWith(`sealed ${mode} `)) return "carries a seal of somebody else";
  if (content === undefined) return undefined;
  return came === seal(mode, content) ? undefined : "was changed: its seal is that of another content";
}
