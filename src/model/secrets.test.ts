import { expect, test } from "vitest";
import { KnownSecrets, secretsIn, tellingSecrets, withoutSecrets } from "./secrets.ts";

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

test("[J3] what is known only grows, is the same object until it does, and holds no word that a text may hold", () => {
  const ring = { secrets: ["sk-first-0123456789"] };
  const secrets = new KnownSecrets();
  secrets.add(ring);
  secrets.add({ secrets: ["lm-studio"] });
  const { known } = secrets;
  expect(known.secrets).toEqual(["sk-first-0123456789"]);
  secrets.add({ secrets: ["sk-first-0123456789"] });
  expect(secrets.known).toBe(known);
  ring.secrets = ["sk-renewed-9876543210"];
  expect(secrets.known.secrets).toEqual(["sk-renewed-9876543210", "sk-first-0123456789"]);
  ring.secrets = [];
  expect(secrets.known.redact("lm-studio: sk-first-0123456789, sk-renewed-9876543210")).toMatch(
    /^lm-studio: ‹redacted:known:[0-9a-f]{4}›, ‹redacted:known:[0-9a-f]{4}›$/u,
  );
});
