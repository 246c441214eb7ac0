import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { type Edited, setInText, unsetInText } from "./edit.ts";

const textOf = (edited: Edited | undefined): string => {
  if (edited?.type !== "edited") throw new Error(edited?.fault.type ?? "not there");
  return edited.text;
};

const FILE = `# mine
model: "small"   # the cheap one

stream:
    # long prompts
    idleMs: 60000 # a minute
    callMs: 1
retry: { baseMs: 5, maxMs: 6 }
# the end
`;

test("[X8] set changes the value and nothing else, byte for byte, where there is one", async () => {
  expect(textOf(await setInText(FILE, "stream.idleMs", 7))).toBe(FILE.replace("60000", "7"));
  expect(textOf(await setInText(FILE, "model", "big"))).toBe(FILE.replace('"small"', "big"));
  expect(textOf(await setInText(FILE, "retry.maxMs", 7))).toBe(FILE.replace("maxMs: 6", "maxMs: 7"));
  expect(textOf(await setInText(FILE, "model", "a: b #c"))).toBe(FILE.replace('"small"', '"a: b #c"'));
  const dos = FILE.replaceAll("\n", "\r\n");
  expect(textOf(await setInText(dos, "stream.idleMs", 7))).toBe(dos.replace("60000", "7"));
});

test("[X8] set adds what is not there; every comment and the order of the rest stay", async () => {
  const added = textOf(await setInText(FILE, "stream.firstByteMs", 9));
  expect(added).toContain("    callMs: 1\n    firstByteMs: 9\n");
  expect(textOf(await setInText(FILE, "guardrails.hardStop", false))).toContain("guardrails:\n    hardStop: false\n");
  for (const text of [added, textOf(await setInText(FILE, "plugins", ["/a.mjs"]))])
    for (const comment of ["# mine", "# the cheap one", "# long prompts", "# a minute", "# the end"])
      expect(text).toContain(comment);
  expect(textOf(await setInText("", "maxIterations", Infinity))).toBe("maxIterations: Infinity\n");
  expect(textOf(await setInText("# a\n", "store.sync", "full"))).toBe("# a\n\nstore:\n  sync: full\n");
  expect(textOf(await setInText("stream:\n  # idleMs: 5\n", "stream.idleMs", 6))).toMatch(
    /# idleMs: 5\n[^]*idleMs: 6\n/u,
  );
});

test("[X8] unset takes a key out, known or not, and a group with its last one", async () => {
  expect(parse(textOf(await unsetInText(FILE, "stream.callMs")))).toMatchObject({ stream: { idleMs: 60_000 } });
  expect(parse(textOf(await unsetInText("stream:\n  idleMs: 1\nmodel: x\n", "stream.idleMs")))).toEqual({ model: "x" });
  expect(textOf(await unsetInText("# a\nfrob.x: 1\n", "frob.x"))).toBe("# a\n");
  expect(await unsetInText(FILE, "retry.maxWaitMs")).toBeUndefined();
});

test("[X8] a model is one step of its key, whatever dots it holds", async () => {
  const key = "models.openai/gpt-5.2.prices.input";
  const set = textOf(await setInText(FILE, key, 0.25));
  expect(parse(set)).toMatchObject({ models: { "openai/gpt-5.2": { prices: { input: 0.25 } } } });
  expect(parse(textOf(await setInText(set, key, 1.5)))).toMatchObject({
    models: { "openai/gpt-5.2": { prices: { input: 1.5 } } },
  });
  expect(parse(textOf(await unsetInText(set, key)))).toEqual(parse(FILE));
});

test("[X1] what a program cannot change without guessing is refused with the reason", async () => {
  const why = async (text: string, key = "stream.idleMs"): Promise<string> => {
    const edited = await setInText(text, key, 5);
    return edited.type === "refused" ? edited.fault.type : "edited";
  };
  expect(await why("a: [")).toBe("no-yaml");
  expect(await why("- a")).toBe("no-config");
  expect(await why("stream: 5")).toBe("group-is-a-value");
  expect(await why("x: &x { idleMs: 1 }\nstream: *x")).toBe("alias");
});

test("[X8] property: after set the key has its value, all others theirs, and no comment is lost", async () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/u);
  const leaf = fc.oneof(fc.integer(), fc.boolean(), word, fc.array(word, { maxLength: 3 }));
  const file = fc.dictionary(
    fc.oneof(word, fc.constantFrom("stream", "retry")),
    fc.oneof(leaf, fc.constant(null), fc.dictionary(word, leaf, { minKeys: 1, maxKeys: 3 })),
    { maxKeys: 5 },
  );
  const value = fc.oneof(fc.integer({ min: 1 }), fc.boolean(), fc.string({ unit: "grapheme", minLength: 1 }), word);
  await fc.assert(
    fc.asyncProperty(
      file,
      fc.constantFrom("model", "stream.idleMs", "retry.baseMs"),
      value,
      async (data, key, given) => {
        const lines = Object.entries(data).flatMap(([name, it], index) => [
          `# about ${index}`,
          it === null ? `${name}: # beside ${index}` : `${name}: ${JSON.stringify(it)} # beside ${index}`,
          ...(it === null ? [`  # inside ${index}`] : []),
        ]);
        const before = lines.map((line) => `${line}\n`).join("");
        const edited = await setInText(before, key, given);
        fc.pre(edited.type === "edited");
        const [group = "", inner] = key.split(".");
        const after = parse(edited.text) as Record<string, unknown>;
        const expected = inner === undefined ? given : { ...(data[group] as object | undefined), [inner]: given };
        expect(after).toEqual({ ...data, [group]: expected });
        for (const line of lines) expect(edited.text).toContain(line.slice(line.indexOf("#")));
      },
    ),
  );
});
