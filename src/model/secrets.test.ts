import fc from "fast-check";
import { expect, test } from "vitest";
import { KnownSecrets, SecretFilter, secretsIn, tellingSecrets, withoutSecrets } from "./secrets.ts";

/** Of few letters, so that secrets overlap, repeat themselves and contain each other. */
const few = (min: number, max: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom("a", "b", ":"), minLength: min, maxLength: max });

function passed(secrets: readonly string[], pieces: readonly string[]): string {
  const filter = new SecretFilter(secrets);
  return pieces.map((piece) => filter.pass(piece)).join("") + filter.end();
}

const cutAt = (text: string, places: readonly number[]): string[] => {
  const cuts = [0, ...places.map((place) => place % (text.length + 1)).toSorted((a, b) => a - b), text.length];
  return cuts.slice(1).map((end, at) => text.slice(cuts[at], end));
};

test("[J3] no secret comes through, wherever its text was cut, and what is shown does not depend on the cuts", () => {
  fc.assert(
    fc.property(
      fc.array(few(2, 6), { minLength: 1, maxLength: 3 }),
      few(0, 40),
      fc.array(fc.nat()),
      (some, text, places) => {
        const secrets = some.toSorted((a, b) => b.length - a.length);
        const shown = passed(secrets, cutAt(text, places));
        expect(shown).toBe(passed(secrets, [text]));
        for (const piece of shown.split("***")) for (const secret of secrets) expect(piece).not.toContain(secret);
        // Nothing but secrets is missing.
        expect(shown === text).toBe(secrets.every((secret) => !text.includes(secret)));
      },
    ),
    { numRuns: 5_000 },
  );
});

test("[J3] nothing waits but an end that may be the beginning of a secret", () => {
  const filter = new SecretFilter(["sk-123456789"]);
  expect(["a text", " is sk-", "12", "3 no: sk-12345", "6789, or s", "o"].map((piece) => filter.pass(piece))).toEqual([
    "a text",
    " is ",
    "",
    "sk-123 no: ",
    "***, or ",
    "so",
  ]);
  expect(filter.end()).toBe("");
});

test.each([
  ["sk-ant-api03-Zm9vYmFy", ["sk-ant-api03-Zm9vYmFy"]],
  ["AKIDEXAMPLE:wJalrXUtnFEMI/K7MDENG", ["AKIDEXAMPLE:wJalrXUtnFEMI/K7MDENG", "wJalrXUtnFEMI/K7MDENG"]],
  ["ollama", []],
  ["lm-studio", []],
  ["sk-no-key-required", []],
  ["sk-1234", []],
  [undefined, []],
])("[J3] of the key %s, the secrets that no text holds by chance are %j", (key, secrets) => {
  expect(tellingSecrets(secretsIn(key))).toEqual(secrets);
});

test("[J3] a signature's key is masked whole and in its parts", () => {
  const secrets = secretsIn("AKIDEXAMPLE:wJalrXUtnFEMI/K7MDENG");
  expect(withoutSecrets("AKIDEXAMPLE:wJalrXUtnFEMI/K7MDENG or wJalrXUtnFEMI/K7MDENG", secrets)).toBe("*** or ***");
});

test("[J3] what is known only grows, is the same list until it does, and holds no word that a text may hold", () => {
  const ring = { secrets: ["sk-first-0123456789"] };
  const known = new KnownSecrets();
  known.add(ring);
  known.add({ secrets: ["lm-studio"] });
  const { telling } = known;
  expect(telling).toEqual(["sk-first-0123456789"]);
  known.add({ secrets: ["sk-first-0123456789"] });
  expect(known.telling).toBe(telling);
  ring.secrets = ["sk-renewed-9876543210"];
  expect(known.telling).toEqual(["sk-renewed-9876543210", "sk-first-0123456789"]);
  ring.secrets = [];
  expect(known.clean("lm-studio: sk-first-0123456789, sk-renewed-9876543210")).toBe("lm-studio: ***, ***");
});
