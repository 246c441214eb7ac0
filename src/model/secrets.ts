import { randomBytes } from "node:crypto";
import { SHORTEST } from "../protocol/redact/forms.ts";
import { KnownValues } from "../protocol/redact/known.ts";
import type { MarkKey } from "../protocol/redact/mark.ts";

/** The whole key, then the secrets in it: those of a signature are several, with colons between them. */
export const secretsIn = (key: string | undefined): readonly string[] =>
  key === undefined ? [] : [key, ...key.split(":")].filter((secret, at) => secret.length >= (at === 0 ? 4 : 16));

/** Who has keys. The same list until one is added. */
interface Holder {
  readonly secrets: readonly string[];
}

const random = (): number => randomBytes(4).readInt32LE();

/** Of this process: what is the same secret has the same mark wherever it stands. */
const MARK_KEY: MarkKey = [random(), random()];

/**
 * The keys of all models that one agent asks, or may ask, and what else its owner keeps secret: none of them is shown, or
 * kept, by a model, a tool or a server.
 */
export class KnownSecrets {
  /** With the list that each had when it was last looked at. */
  readonly #holders = new Map<Holder, readonly string[]>();
  #known = new KnownValues([], MARK_KEY);
  #secrets: readonly string[] = [];

  /** `own`: of whoever owns the agent. */
  constructor(own: readonly string[] = []) {
    this.add({ secrets: own });
  }

  add(holder: Holder): void {
    this.#holders.set(holder, []);
  }

  /** Those of them that no text holds by chance. It only grows; the same object until it does. */
  get known(): KnownValues {
    for (const [holder, before] of this.#holders) {
      const { secrets } = holder;
      if (secrets === before) continue;
      this.#holders.set(holder, secrets);
      const grown = tellingSecrets([...this.#secrets, ...secrets.flatMap(secretsIn)]);
      if (grown.length === this.#secrets.length) continue;
      this.#secrets = grown;
      this.#known = new KnownValues(grown, MARK_KEY);
    }
    return this.#known;
  }
}

const CUT = "***";

/** What a server said, without the key and the secrets in it, however short they are. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((masked, secret) => masked.replaceAll(secret, CUT), text);

/** Local servers are shown a word in place of a key, such as `lm-studio`: it must not vanish from what a model says. */
const WORDS = /^[a-z]{1,15}(?:[-_.][a-z]{1,15})*$/i;

/** Those of the secrets that no text holds by chance, the longest first. */
export const tellingSecrets = (secrets: readonly string[]): readonly string[] =>
  [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST && !WORDS.test(secret))
    .toSorted((a, b) => b.length - a.length);

/** The value; undefined where a secret stands in it: what is opaque, or sealed, is left out rather than changed. */
export const ifWithout = <T>(value: T, known: KnownValues): T | undefined =>
  known.none || value === undefined || !known.isIn(JSON.stringify(value)) ? value : undefined;
