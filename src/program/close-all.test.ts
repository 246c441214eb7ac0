import { expect, test } from "vitest";
import { closeAll } from "./close-all.ts";

test("[E5] what cannot be closed keeps nothing else open, and is told", async () => {
  const closed: string[] = [];
  const closing = (name: string): { close: () => Promise<void> } => ({
    close: () => {
      closed.push(name);
      return Promise.resolve();
    },
  });
  const broken = { close: () => Promise.reject(new Error("stuck")) };
  await expect(closeAll([closing("a"), broken, undefined, closing("b")])).rejects.toThrow("stuck");
  expect(closed).toEqual(["a", "b"]);
});
