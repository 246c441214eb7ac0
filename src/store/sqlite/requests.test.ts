import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { faultOf, save, temporaryFolder, turnStart } from "../../../test/support/store-world.ts";
import type { RequestRecord } from "../../protocol/ports.ts";
import type { Store, Writer } from "../../protocol/store.ts";
import { openSqliteStore } from "./store.ts";

interface Opened {
  readonly store: Store;
  readonly path: string;
  /** Ends the tick. */
  readonly flush: () => void;
}

function opened(patienceMs?: number): Opened {
  const path = join(temporaryFolder(), "store.db");
  let waiting: () => void = () => undefined;
  const store = openSqliteStore({ path, defer: (flush) => (waiting = flush), ...(patienceMs && { patienceMs }) });
  onTestFinished(() => store.close());
  return { store, path, flush: () => waiting() };
}

async function begun({ store, flush }: Opened): Promise<Writer> {
  const opening = store.open("s");
  flush();
  const writer = (await opening).writer(() => undefined);
  const saved = save(writer, turnStart("t", 0, "go"));
  flush();
  await saved;
  return writer;
}

const record = (continues: boolean, ...add: readonly string[]): RequestRecord => ({
  continues,
  add: add.map((text) => Buffer.from(text)),
  tail: "]",
});

function ask(writer: Writer, attempt: number, request: RequestRecord): Promise<void> {
  writer.append({ type: "attempt-start", attempt, iteration: attempt, model: "m" });
  writer.keepRequest(request);
  return writer.barrier();
}

const bodies = (store: Store): string[] => [...store.requests("t")].map(({ body }) => body);

test("[X7] requests share their head, however often it begins anew", async () => {
  const world = opened();
  const writer = await begun(world);
  const requests = [
    record(false, "[", "1"),
    record(true),
    record(true, ",2"),
    record(false, "[", "9"),
    record(true, ",é"),
  ];
  for (const [at, request] of requests.entries()) {
    const asked = ask(writer, at + 1, request);
    world.flush();
    await asked;
  }
  expect(bodies(world.store)).toEqual(["[1]", "[1]", "[1,2]", "[9]", "[9,é]"]);
  const db = new DatabaseSync(world.path, { readOnly: true });
  onTestFinished(() => db.close());
  const kept = db.prepare("select added from journal where tail is not null order by id").all();
  expect(kept.map((row) => Buffer.from(row["added"] as Uint8Array).toString())).toEqual(["1", "", ",2", "9", ",é"]);
  expect(db.prepare("select count(*) as n from opening").get()?.["n"]).toBe(1);
});

test("[X7 G2] a request is kept in the commit of its attempt, and not before", async () => {
  const world = opened();
  const writer = await begun(world);
  const asked = ask(writer, 1, record(false, "["));
  expect(bodies(world.store)).toEqual([]);
  world.flush();
  await asked;
  expect(bodies(world.store)).toEqual(["[]"]);
});

test("[X7 G2] a commit that must be tried again keeps each request once", async () => {
  const world = opened();
  const writer = await begun(world);
  const other = new DatabaseSync(world.path);
  onTestFinished(() => other.close());
  other.exec("begin immediate");
  const asked = ask(writer, 1, record(false, "[", "1"));
  world.flush();
  other.exec("rollback");
  await asked;
  const again = ask(writer, 2, record(true, ",2"));
  world.flush();
  await again;
  expect(bodies(world.store)).toEqual(["[1]", "[1,2]"]);
});

test("[X7] a head that is damaged is a store error, not half a request", async () => {
  const world = opened();
  const writer = await begun(world);
  const asked = ask(writer, 1, record(false, "[", "1"));
  world.flush();
  await asked;
  const other = new DatabaseSync(world.path);
  other.exec("delete from opening");
  other.close();
  expect((await faultOf(() => bodies(world.store))).fault).toBe("corrupt");
});
