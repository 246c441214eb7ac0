/** Closes each in its order, also behind one that cannot be closed; rejects with what the first of those said. */
export async function closeAll(
  opened: readonly ({ readonly close: () => Promise<void> } | undefined)[],
): Promise<void> {
  const failed: unknown[] = [];
  for (const each of opened) await each?.close().catch((error: unknown) => failed.push(error));
  if (failed.length > 0) throw failed[0];
}
