import assert from "node:assert/strict";
import { beforeAll, test } from "vitest";
import { FULL_DISKS, notSaid } from "./full-disks.ts";
import { needBubblewrap, onSmallDisk } from "./small-disk.ts";

beforeAll(needBubblewrap);

test.for(FULL_DISKS)("[R5][G1] a full disk $name", async ({ says, ...disk }) => {
  const said = await onSmallDisk(disk);
  assert.equal(notSaid(said, says), undefined, said);
});
