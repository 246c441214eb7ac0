import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { faultOf, save, temporaryFolder, turnEnd, turnStart } from "../../../test/support/store-world.ts";
import type { Fact } from "../../protocol/fact.ts";
import type { Store } from "../../protocol/store.ts";
import { memoryStore } from "../memory.ts";
import { openSqliteStore } from "./store.ts";

const built: Fact = { type: "prompt-built", state: "missing", sha256: "00", parts: [] };

function opened(): Store {
  const store = openSqliteStore({ path: join(temporaryFolder(), "store.db") });
  onTestFinished(() => store.close());
  return store;
}

test("[A8] the four states of a stored prompt", async () => {
  const store = memoryStore();
  expect(store.prompt("s")).toEqual({ state: "missing" });
  const session = await store.open("s");
  expect(session.prompt).toEqual({ state: "missing" });
  const writer = session.writer(() => undefined);
  await save(writer, turnStart("t1", 0, "one"), turnEnd(""));
  expect(store.prompt("s")).toEqual({ state: "null" });
  writer.append(built);
  writer.keepPrompt("");
  await writer.barrier();
  expect(store.prompt("s")).toEqual({ state: "empty" });
  writer.append(built);
  writer.keepPrompt("You are Ada.");
  await writer.barrier();
  expect(store.prompt("s")).toEqual({ state: "present", text: "You are Ada." });
  await save(writer, turnStart("t2", 1, "two"));
  expect(store.prompt("s")).toEqual({ state: "present", text: "You are Ada." });
  session.release();
  expect((await store.open("s")).prompt).toEqual({ state: "present", text: "You are Ada." });
  store.close();
});

test("[A8] a commit that fails leaves the prompt that was kept", async () => {
  const store = opened();
  const first = (await store.open("s")).writer(() => undefined);
  first.append(turnStart("t", 0, "hi"));
  first.append(built);
  first.keepPrompt("You are Ada.");
  await first.barrier();
  // Whoever opens the session again fences the earlier writer off.
  await store.open("s");
  first.append(built);
  first.keepPrompt("");
  expect((await faultOf(() => first.barrier())).fault).toBe("lease_lost");
  expect(store.prompt("s")).toEqual({ state: "present", text: "You are Ada." });
});

test("[A7][I3] a child begins with the prompt of its parent", async () => {
  const store = opened();
  const parent = (await store.open("s")).writer(() => undefined);
  parent.append(turnStart("t", 0, "hi"));
  parent.append(built);
  parent.keepPrompt("You are Ada.");
  parent.append(turnEnd("Hi."));
  await parent.barrier();
  const child = await store.openChild("c", { parent: "s", purpose: "review" });
  expect(child?.prompt).toEqual({ state: "present", text: "You are Ada." });
});
