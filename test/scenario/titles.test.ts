import { expect, test } from "vitest";
import { fakeProvider } from "../support/fake-provider.ts";
import { say } from "../support/wire-script.ts";
import { Place } from "./program.ts";

test("[I3] [X8] title.model gives a conversation its title; offline, and where one prompt is asked alone, nobody is asked", async () => {
  const place = new Place();
  /** The second message of the conversation is not answered before it has its title. */
  const onRequest = async ({ index }: { readonly index: number }): Promise<void> => {
    const titled = async (): Promise<boolean> =>
      (await place.run(undefined, ["session", "list"])).stdout.includes("A first talk");
    for (let looks = 0; index === 1 && looks < 200 && !(await titled()); looks++);
  };
  const small = await fakeProvider([say("Title: “A first talk”")]);
  const said = ["First.", "Second.", "Alone.", "Off."].map((text) => say(text, { newHead: true }));
  const provider = await fakeProvider(said, { onRequest });
  try {
    place.configure({ mine: provider, small }, ["title: {model: small/m-1}"]);
    expect((await place.run(undefined, [], { input: "one\ntwo\n" })).stdout).toBe("First.\nSecond.\n");
    expect((await place.run(undefined, ["-p", "three"])).stdout).toBe("Alone.\n");
    expect((await place.run(undefined, ["--config", "offline=on"], { input: "four\n" })).stdout).toBe("Off.\n");
    const { stdout } = await place.run(undefined, ["session", "list"]);
    for (const title of ["A first talk", "three", "four"]) expect(stdout).toContain(title);
    expect(small.requests.map(({ body }) => body.model)).toEqual(["m-1"]);
  } finally {
    await provider.close();
    await small.close();
    place.remove();
  }
});
