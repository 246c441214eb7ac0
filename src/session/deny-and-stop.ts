import type { Lane } from "./lane.ts";

/**
 * No to these questions, and the turn stops. All of it arrives before the turn looks again: a turn that heard the no alone
 * would ask its model what to do now, which costs money and may begin something else.
 */
export async function denyAndStop(
  lane: Pick<Lane, "approve" | "interrupt">,
  approvalIds: readonly string[],
): Promise<void> {
  await Promise.all([...approvalIds.map((id) => lane.approve(id, false)), lane.interrupt("user")]);
}
