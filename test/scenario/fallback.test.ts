import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type FakeProvider, fakeProvider } from "../support/fake-provider.ts";
import { refuse, say, type Step } from "../support/wire-script.ts";
import { Place, resultOf } from "./program.ts";

const limited = (): Step =>
  refuse(
    429,
    { error: { message: "slow down" } },
    { "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "10m" },
  );

/** A program whose config names a model and describes where others are. */
function configured(
  place: Place,
  { mine, ...others }: Readonly<Record<string, FakeProvider>>,
  ...more: string[]
): void {
  mkdirSync(place.home, { recursive: true });
  const described = Object.entries({ mine, ...others }).map(([name, it]) => `  ${name}: {baseUrl: "${it?.baseUrl}"}`);
  writeFileSync(
    join(place.home, "config.yaml"),
    ["model: m", "provider: mine", "providers:", ...described, ...more].join("\n"),
  );
}

test("[D9] [D12] [X8] the chain of the config takes over, says so, and spares the next process the limit", async () => {
  await using mine = await fakeProvider([limited()]);
  await using second = await fakeProvider([say("from the second"), say("again from the second")]);
  const place = new Place();
  try {
    configured(place, { mine, second }, "fallback: [second/m-2]");
    const ended = await place.run(undefined, ["-p", "hi", "--output", "json"]);
    expect(resultOf(ended), ended.stderr).toMatchObject({
      answer: "from the second",
      provider: "second",
      model: "m-2",
    });
    const next = await place.run(undefined, ["-p", "hi again", "--verbose"]);
    expect(next.stdout).toContain("again from the second");
    expect(next.stderr).toContain("from here on second/m-2 is asked, because the limit of the other one is used up");
    expect(mine.requests).toHaveLength(1);
    const told = await place.run(undefined, ["turn", "explain", "last"]);
    expect(told.stdout).toContain("second/m-2 is asked, because the limit of the other one is used up");
  } finally {
    place.remove();
  }
});

test("[D9] --fallback names who takes over for one run, in order; without a chain the time of the limit is named", async () => {
  await using mine = await fakeProvider([limited()]);
  await using second = await fakeProvider([refuse(402, { error: { message: "pay first" } })]);
  await using third = await fakeProvider([say("third")]);
  const place = new Place();
  try {
    configured(place, { mine, second, third });
    const alone = await place.run(undefined, ["-p", "hi", "--output", "json"]);
    expect(resultOf(alone)).toMatchObject({ exit: { reason: "all_retries_exhausted_no_response" } });
    const spared = await place.run(undefined, ["-p", "hi", "--output", "json"]);
    expect(resultOf(spared)?.error?.message).toMatch(/mine\/m is not asked before \d\d:\d\d:\d\d UTC/u);
    const chain = ["--fallback", "second/m-2,third/m-3"];
    const ended = await place.run(undefined, ["-p", "hi", "--output", "json", ...chain]);
    expect(resultOf(ended), ended.stderr).toMatchObject({ answer: "third", provider: "third", model: "m-3" });
  } finally {
    place.remove();
  }
});
