import { type Limits, look, type Look } from "./look.ts";
import type { Shelf } from "./shelf.ts";
import { type Difference, differences, joinRaw, type RawPath, type Tree } from "./state.ts";

/** Contents on their way to the disk, bytes. */
const BATCH_BYTES = 8_000_000;

export const NOTHING: Tree = new Map();

export interface Looker {
  readonly opened: () => Shelf;
  readonly limits: Limits;
  readonly own: readonly RawPath[];
}

/** Contents are on the disk before the snapshot that names them. */
export async function lookAndKeep(root: RawPath, known: Tree, { opened, limits, own }: Looker): Promise<Look> {
  const batch = new Map<string, Buffer>();
  let bytes = 0;
  const flush = (): void => {
    opened().keepContents(batch, Date.now());
    batch.clear();
    bytes = 0;
  };
  const keep = (hash: string, content: Buffer): void => {
    batch.set(hash, content);
    bytes += content.length;
    if (bytes > BATCH_BYTES) flush();
  };
  const seen = await look(root, { known, limits, leaveOut: own, keep });
  flush();
  return seen;
}

/** A step nobody has ended: what has changed there since counts as its own. */
export function closeLost(
  shelf: Shelf,
  root: RawPath,
  { known, tree }: { readonly known: Tree; readonly tree: Tree },
): void {
  const open = shelf.openSteps(root);
  if (open.length === 0) return;
  const lost = differences(known, tree).map((each) => ({ ...absolute(root, each), lost: true }));
  open.forEach(({ id }, index) => shelf.addChanges(id, index === 0 ? lost : [], "closed"));
}

export const absolute = (root: RawPath, { path, ...states }: Difference): Difference => ({
  path: joinRaw(root, path),
  ...states,
});

/** Ends the steps of a turn that nobody has ended: what differs there now is taken for its work, and kept. */
export async function settle(turnId: string, looker: Looker): Promise<void> {
  for (const { root, open } of looker.opened().steps(turnId)) if (open) await settleRoot(root, looker);
}

/** The same for one folder or file, whoever has left it. */
export async function settleRoot(root: RawPath, looker: Looker): Promise<void> {
  const shelf = looker.opened();
  const known = shelf.tree(root) ?? NOTHING;
  const { tree } = await lookAndKeep(root, known, looker);
  shelf.transact(() => {
    closeLost(shelf, root, { known, tree });
    shelf.putTree(root, tree, Date.now());
  });
}
