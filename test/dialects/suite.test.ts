import { expect, test } from "vitest";
import { SUBJECTS } from "./subjects.ts";
import { SUITE } from "./suite.ts";

for (const subject of SUBJECTS) {
  const { mode } = subject.wire;
  const items = SUITE.filter(({ except }) => except?.[mode] === undefined);
  test.for(items)(`[$row] ${mode}: $name`, async ({ run }) => {
    await expect(run(subject)).resolves.toBeUndefined();
  });
}
