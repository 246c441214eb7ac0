import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Fact } from "../../src/protocol/fact.ts";
import { assistantText, userText } from "../../src/protocol/message.ts";
import { StoreError, type Writer } from "../../src/protocol/store.ts";

/** One that lies in memory where there is such a place: nothing is proved there about disks, and much is faster. */
export const memoryFolder = (): string => temporaryFolder(existsSync("/dev/shm") ? "/dev/shm" : tmpdir());

/** A folder that is gone when the test is over. */
export function temporaryFolder(within: string = tmpdir()): string {
  const folder = mkdtempSync(join(within, "evander-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const turnStart = (turnId: string, seq: number, text: string): Fact => ({
  type: "turn-start",
  turnId,
  seq,
  message: userText(text),
  model: "m",
  provider: "p",
  maxIterations: 500,
});

export const reply = (seq: number, text: string): Fact => ({
  type: "assistant-message",
  seq,
  message: assistantText(text),
  finish: "stop",
});

export const turnEnd = (answer: string): Fact => ({ type: "turn-end", outcome: { exit: "text_response", answer } });

export async function save(writer: Writer, ...facts: readonly Fact[]): Promise<void> {
  for (const fact of facts) writer.append(fact);
  await writer.barrier();
}

/** The StoreError that `work` ends with. */
export async function faultOf(work: () => unknown): Promise<StoreError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
  throw new Error("no fault came");
}
