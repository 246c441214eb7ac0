import { treeIn, type Shelf } from "./shelf.ts";

/** How much is kept of the past; see ADR 0055. */
const MOST_BYTES = 500_000_000;
const MOST_TURNS = 20;
const MOST_AGE_MS = 30 * 86_400_000;
/** What is younger may be on its way into a snapshot of another process. */
const YOUNG_MS = 600_000;

interface Tidying {
  /** The turn that runs, which stays whole. */
  readonly keep: string;
  readonly nowMs: number;
}

/** Lets go of the oldest turns: by age, by number for each folder, and by size of all contents. */
export function tidy(shelf: Shelf, { keep, nowMs }: Tidying): void {
  const old = shelf.all("select turn from step group by turn having max(at) < ?", nowMs - MOST_AGE_MS);
  const many = shelf.all(
    `select turn from (select turn, row_number() over (partition by root order by max(id) desc) as place
      from step group by root, turn) where place > ?`,
    MOST_TURNS,
  );
  const gone = new Set([...old, ...many].map(({ turn }) => String(turn)).filter((turn) => turn !== keep));
  if (gone.size > 0) forgetTurns(shelf, [...gone], nowMs);
  for (let bytes = bytesOf(shelf), freed = true; bytes > MOST_BYTES && freed;) {
    const [oldest] = shelf.all("select turn from step where turn <> ? group by turn order by max(id) limit 1", keep);
    if (oldest === undefined) return;
    forgetTurns(shelf, [String(oldest["turn"])], nowMs);
    const left = bytesOf(shelf);
    freed = left < bytes;
    bytes = left;
  }
}

const bytesOf = (shelf: Shelf): number => Number(shelf.all("select sum(size) as bytes from blob")[0]?.["bytes"] ?? 0);

function forgetTurns(shelf: Shelf, turns: readonly string[], nowMs: number): void {
  shelf.transact(() => {
    for (const turn of turns) shelf.run("delete from step where turn = ?", turn);
  });
  sweep(shelf, nowMs - YOUNG_MS);
}

/** All that was kept of these sessions. */
export function forgetSessions(shelf: Shelf, sessionIds: readonly string[], nowMs: number): void {
  shelf.transact(() => {
    for (const id of sessionIds) shelf.run("delete from step where session = ?", id);
  });
  sweep(shelf, nowMs);
}

/** Folders that no step speaks of go, then contents that nothing needs. */
function sweep(shelf: Shelf, before: number): void {
  shelf.transact(() => {
    shelf.run("delete from root where at <= ? and path not in (select root from step)", before);
    const needed = new Set<string>();
    for (const { tree } of shelf.all("select tree from root"))
      if (tree instanceof Uint8Array) for (const { state } of treeIn(tree).values()) noteHash(state, needed);
    for (const { before: old, after } of shelf.all("select before, after from change"))
      for (const state of [old, after]) if (typeof state === "string") noteHash(state, needed);
    for (const { hash } of shelf.all("select hash from blob where at <= ?", before))
      if (!needed.has(String(hash))) shelf.run("delete from blob where hash = ?", String(hash));
  });
  shelf.run("pragma incremental_vacuum");
}

function noteHash(state: string, needed: Set<string>): void {
  if (state.startsWith("f ")) needed.add(state.slice(state.lastIndexOf(" ") + 1));
}
