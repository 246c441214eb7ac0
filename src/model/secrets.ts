/** The whole key, then the secrets in it: those of a signature are several, with colons between them. */
export const secretsIn = (key: string | undefined): readonly string[] =>
  key === undefined ? [] : [key, ...key.split(":")].filter((secret, at) => secret.length >= (at === 0 ? 4 : 16));

/** Who has keys. The same list until one is added. */
interface Holder {
  readonly secrets: readonly string[];
}

/** The keys of all models that one agent asks, or may ask: none of them is shown one, or kept with one, of another. */
export class KnownSecrets {
  /** With the list that each had when it was last looked at. */
  readonly #holders = new Map<Holder, readonly string[]>();
  #telling: readonly string[] = [];

  add(holder: Holder): void {
    this.#holders.set(holder, []);
  }

  /** Those of them that no text holds by chance, the longest first. It only grows; the same list until it does. */
  get telling(): readonly string[] {
    for (const [holder, before] of this.#holders) {
      const { secrets } = holder;
      if (secrets === before) continue;
      this.#holders.set(holder, secrets);
      const grown = tellingSecrets([...this.#telling, ...secrets.flatMap(secretsIn)]);
      if (grown.length > this.#telling.length) this.#telling = grown;
    }
    return this.#telling;
  }

  /** What somebody else says, such as a tool, without them. */
  readonly clean = (text: string): string => withoutSecrets(text, this.telling);
}

const CUT = "***";

/** What a server said, without the key and the secrets in it. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((masked, secret) => masked.replaceAll(secret, CUT), text);

/** Local servers are shown a word in place of a key, such as `lm-studio`: it must not vanish from what a model says. */
const WORDS = /^[a-z]{1,15}(?:[-_.][a-z]{1,15})*$/i;
const SHORTEST = 8;

/** Those of the secrets that no text holds by chance, the longest first. */
export const tellingSecrets = (secrets: readonly string[]): readonly string[] =>
  [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST && !WORDS.test(secret))
    .toSorted((a, b) => b.length - a.length);

/**
 * Cuts secrets out of a text that comes in pieces. Only an end that may be the beginning of a secret waits for what
 * comes next, and what is shown does not depend on where the text was cut: of two secrets that begin at one place, the
 * longer is cut out.
 */
export class SecretFilter {
  readonly #secrets: readonly string[];
  #held = "";

  /** `secrets`: the longest first. */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  /** What can be shown now. */
  pass(piece: string): string {
    let rest = this.#held + piece;
    this.#held = "";
    let shown = "";
    for (let at = this.#begin(rest); at >= 0; at = this.#begin(rest)) {
      shown += rest.slice(0, at);
      rest = rest.slice(at);
      if (this.#secrets.some((secret) => secret.length > rest.length && secret.startsWith(rest))) {
        this.#held = rest;
        return shown;
      }
      shown += CUT;
      rest = rest.slice(this.#secrets.find((secret) => rest.startsWith(secret))?.length);
    }
    return shown + rest;
  }

  /** No more comes: what is left was no secret, or a shorter one. */
  end(): string {
    const rest = this.#held;
    this.#held = "";
    return withoutSecrets(rest, this.#secrets);
  }

  /** The first place where a secret stands, or may begin; -1: nowhere. */
  #begin(text: string): number {
    let first = -1;
    for (const secret of this.#secrets) {
      const at = placeOf(secret, text);
      if (at >= 0 && (first < 0 || at < first)) first = at;
    }
    return first;
  }
}

function placeOf(secret: string, text: string): number {
  const whole = text.indexOf(secret);
  if (whole >= 0) return whole;
  const sign = secret.charAt(0);
  let at = text.indexOf(sign, text.length - secret.length + 1);
  while (at >= 0 && !secret.startsWith(text.slice(at))) at = text.indexOf(sign, at + 1);
  return at;
}

/** The value; undefined where a secret stands in it: what is opaque, or sealed, is left out rather than changed. */
export const ifWithout = <T>(value: T, secrets: readonly string[]): T | undefined => {
  if (secrets.length === 0 || value === undefined) return value;
  const text = JSON.stringify(value);
  return secrets.some((secret) => text.includes(secret)) ? undefined : value;
};
