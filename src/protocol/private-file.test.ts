import { expect, test } from "vitest";
import { whyNotPrivate } from "./private-file.ts";

const reader = { platform: "linux", getuid: () => 7 };

test("[J3] a file of secrets is used where it is its reader's alone; the superuser reads any that is closed", () => {
  expect(whyNotPrivate("/keys", { mode: 0o100600, uid: 7 }, reader)).toBeUndefined();
  expect(whyNotPrivate("/keys", { mode: 0o100640, uid: 7 }, reader)).toMatchObject({ type: "open" });
  expect(whyNotPrivate("/keys", { mode: 0o100600, uid: 5 }, reader)).toMatchObject({ type: "foreign" });
  expect(whyNotPrivate("/keys", { mode: 0o100600, uid: 5 }, { ...reader, getuid: () => 0 })).toBeUndefined();
  expect(whyNotPrivate("/keys", { mode: 0o100666, uid: 0 }, { platform: "win32" })).toBeUndefined();
});
