import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { fakeProvider } from "../support/fake-provider.ts";
import { say } from "../support/wire-script.ts";
import { atMost } from "./at-most.ts";
import { Place, resultOf } from "./program.ts";

const GOOD = `
export const plugins = { name: "clock", beforeTurn: () => "It is noon.", transformOutput: (text) => text + " (noon)" };
export const hooks = [{ name: "bad", step: () => { throw new Error("broke"); } }];
`;

test("[I1][I2] -p runs with the plug-in files that are named; a broken one is one sentence, and the turn goes on", async () => {
  await atMost(async () => {
    const place = new Place();
    await using provider = await fakeProvider([say("Done."), say("Done."), say("Done.")]);
    try {
      writeFileSync(join(place.work, "good.mjs"), GOOD);
      writeFileSync(join(place.work, "broken.mjs"), "export const plugins = {");
      writeFileSync(join(place.work, "odd.mjs"), "export const plugins = [{}];");
      const files = ["./good.mjs", "./broken.mjs", "./odd.mjs", "./none.mjs"];
      const go = ["-p", "go", "--config", `plugins=${files.join()}`];
      const text = await place.run(provider.baseUrl, go);
      assert.deepEqual([text.code, text.stdout], [0, "Done. (noon)\n"], text.stderr);
      const result = resultOf(await place.run(provider.baseUrl, [...go, "--output", "json"]));
      assert.equal(result.answer, "Done.");
      const [broken, odd, none, ...more] = result.cleanupErrors;
      assert.match(broken ?? "", /^The plug-in file \.\/broken\.mjs is not used: [^\n]+\.$/u);
      assert.equal(odd, "The plug-in file ./odd.mjs is not used: an entry of plugins has no name.");
      assert.match(none ?? "", /^The plug-in file \.\/none\.mjs is not used: Cannot find module/u);
      assert.deepEqual(more, ["hook bad: step: broke"]);
      for (const line of result.cleanupErrors) assert.ok(text.stderr.includes(line), `${line} in ${text.stderr}`);
      // Nothing in the working folder is loaded that nobody has named.
      const plain = resultOf(await place.run(provider.baseUrl, ["-p", "go", "--output", "json"]));
      assert.deepEqual([plain.shown, plain.cleanupErrors], ["Done.", []]);
    } finally {
      place.remove();
    }
  });
});
