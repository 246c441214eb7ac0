/** Letters and digits that a secret of a kind may have, the same each time. */
function randomLetters(seed: number): (length: number, of?: string) => string {
  let state = seed >>> 0 || 1;
  const next = (most: number): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % most;
  };
  return (length, of = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") =>
    Array.from({ length }, () => of.charAt(next(of.length))).join("");
}

const HEX = "0123456789abcdef";
const DIGITS = "0123456789";
const CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

type Letters = ReturnType<typeof randomLetters>;

/** A line as it stands in files and logs, with `<` and `>` around what is secret. */
export type SecretLine = (letters: Letters) => string;

/** What a key begins with and how long it goes on; of these letters, where they are others. */
const PREFIXES: readonly (readonly [begin: string, length: number, of?: string])[] = [
  ["sk-ant-api03-", 90],
  ["sk-proj-", 60],
  ["sk-or-v1-", 64, HEX],
  ["sk-", 48],
  ["sk_live_", 24],
  ["rk_live_", 24],
  ["whsec_", 32],
  ["ghp_", 36],
  ["gho_", 36],
  ["ghs_", 36],
  ["github_pat_", 82],
  ["glpat-", 20],
  ["xoxb-1234567890-", 24],
  ["xoxp-1234567890-", 32],
  ["xapp-1-A0-", 32],
  ["AIza", 35],
  ["ya29.", 60],
  ["GOCSPX-", 28],
  ["AKIA", 16, CAPITALS],
  ["hf_", 34],
  ["gsk_", 52],
  ["xai-", 80],
  ["pplx-", 48],
  ["tvly-", 32],
  ["npm_", 36],
  ["pypi-", 100],
  ["dckr_pat_", 27],
  ["dop_v1_", 64, HEX],
  ["ntn_", 46],
  ["lin_api_", 40],
  ["shpat_", 32, HEX],
  ["sq0csp-", 43],
  ["hvs.", 90],
  ["tskey-auth-", 40],
  ["glsa_", 40],
  ["sntrys_", 60],
  ["nvapi-", 64],
  ["r8_", 37],
  ["figd_", 40],
  ["pscale_tkn_", 43],
];

/** Sixty kinds of secrets, each in a line where people meet it. */
export const SECRET_LINES: readonly SecretLine[] = [
  ...PREFIXES.map(
    ([begin, length, of]): SecretLine =>
      (letters) =>
        `the key <${begin}${letters(length, of)}> was refused`,
  ),
  (letters) => `SG: <SG.${letters(22)}.${letters(43)}>`,
  (letters) => `bot ${letters(10, DIGITS)}<:AA${letters(33)}> is up`,
  (letters) => `session <eyJhbGciOiJIUzI1NiJ9.eyJ${letters(40)}.${letters(43)}>`,
  (letters) => `<-----BEGIN RSA PRIVATE KEY-----\n${letters(64)}\n${letters(64)}\n-----END RSA PRIVATE KEY----->`,
  (letters) => `Authorization: Bearer <${letters(40)}>`,
  (letters) => `authorization: basic <${Buffer.from(`user:${letters(12)}`).toString("base64")}>`,
  (letters) => `Cookie: <session=${letters(24)}; theme=dark>`,
  (letters) => `Set-Cookie: sid=<${letters(24)}>; Path=/`,
  (letters) => `X-Api-Key: <${letters(32)}>`,
  (letters) => `https://user:<${letters(14)}>@host.test/x`,
  (letters) => `postgres://app:<${letters(14)}>@db.test:5432/app`,
  (letters) => `MYSQL_PASSWORD=<${letters(12)}>`,
  (letters) => `export AWS_SECRET_ACCESS_KEY=<${letters(40)}>`,
  (letters) => `STRIPE_WEBHOOK_SECRET="<${letters(32)}>"`,
  (letters) => `{"clientSecret": "<${letters(28)}>"}`,
  (letters) => `  api_key: <${letters(32)}>`,
  (letters) => `password = <${letters(12)}>`,
  (letters) => `GET /cb?access_token=<${letters(30)}>&state=ok HTTP/1.1`,
  (letters) => `deploy --token <${letters(24)}> --force`,
  (letters) => `curl -u admin:<${letters(16)}> https://host.test`,
];

/** The line, the line without marks around what is secret, and what is. */
export function secretLine(line: SecretLine, seed: number): { readonly text: string; readonly secret: string } {
  const whole = line(randomLetters(seed));
  return { text: whole.replace(/<([^]*)>/u, "$1"), secret: /<([^]*)>/u.exec(whole)?.[1] ?? "" };
}

/** Twelve ways a secret is written. */
export const ENCODINGS: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => Buffer.from(secret).toString("base64"),
  (secret) => Buffer.from(`x${secret}`).toString("base64"),
  (secret) => Buffer.from(`xy${secret}`).toString("base64"),
  (secret) => Buffer.from(`?>~${secret}`).toString("base64url"),
  (secret) => Buffer.from(secret).toString("hex"),
  (secret) => Buffer.from(secret).toString("hex").toUpperCase(),
  (secret) => encodeURIComponent(secret),
  (secret) => JSON.stringify(`"${secret}`).slice(1, -1),
  (secret) => Array.from(secret).toReversed().join(""),
  (secret) => secret.toUpperCase(),
  (secret) => `${secret.slice(0, 5)}\u001B[31m${secret.slice(5, 9)}\u200B${secret.slice(9, 12)}\n${secret.slice(12)}`,
];
