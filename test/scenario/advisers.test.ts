import { expect, test } from "vitest";
import { fakeProvider } from "../support/fake-provider.ts";
import { say } from "../support/wire-script.ts";
import { Place, resultOf } from "./program.ts";

test("[A11] [X8] advisers of the config are asked before the model, stand on the bill, and are left alone when offline", async () => {
  await using provider = await fakeProvider([say("Earl Grey."), say("Again.")]);
  await using wise = await fakeProvider([say("Black tea.")]);
  const place = new Place();
  try {
    place.configure({ mine: provider, other: wise }, ["advisers: [other/wise-1]"]);
    const ended = await place.run(undefined, ["-p", "Which tea?", "--output", "json"]);
    expect(resultOf(ended), ended.stderr).toMatchObject({ answer: "Earl Grey.", cleanupErrors: [] });
    expect(wise.requests[0]?.body.model).toBe("wise-1");
    expect(provider.requests[0]?.text).toContain("other/wise-1 says:\\nBlack tea.");
    const bill = await place.run(undefined, ["turn", "cost", "last"]);
    expect(bill.stdout).toMatch(/^advice +wise-1 /mu);
    const course = await place.run(undefined, ["turn", "explain", "last"]);
    expect(course.stdout).toMatch(/asked wise-1 for advice: text_response/u);
    await place.run(undefined, ["-p", "Which tea?", "--config", "offline=on"]);
    expect(wise.requests).toHaveLength(1);
    expect(provider.requests[1]?.text).not.toContain("says:");
  } finally {
    place.remove();
  }
});
