import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PNG } from "pngjs";
import { expect, test } from "vitest";
import { fakeProvider } from "../support/fake-provider.ts";
import { say } from "../support/wire-script.ts";
import { Place, resultOf } from "./program.ts";

test("[C5] [X8] vision.model describes a picture to a model that the config says does not see", async () => {
  await using provider = await fakeProvider([say("A dot.")]);
  await using eyes = await fakeProvider([say("One black dot.")]);
  const place = new Place();
  try {
    place.configure({ mine: provider, seer: eyes }, [
      "models: {mine/m: {images: off}}",
      "vision: {model: seer/eyes-1}",
    ]);
    writeFileSync(join(place.work, "dot.png"), PNG.sync.write(new PNG({ width: 1, height: 1 })));
    const ended = await place.run(undefined, ["-p", "What is this?", "-f", "dot.png", "--output", "json"]);
    expect(resultOf(ended), ended.stderr).toMatchObject({ answer: "A dot." });
    expect(eyes.requests[0]?.body.model).toBe("eyes-1");
    expect(eyes.requests[0]?.text).toContain("data:image/png;base64,");
    expect(provider.requests[0]?.text).toContain("One black dot.");
    expect(provider.requests[0]?.text).not.toContain("base64");
  } finally {
    place.remove();
  }
});
