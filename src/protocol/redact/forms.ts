/** Shorter ones stand in texts by chance (security §3.13). */
export const SHORTEST = 8;

/** All that a secret may look like where it was not meant to be read: in lower case, each once. */
export function formsOf(secret: string): ReadonlySet<string> {
  const whole = secret.toWellFormed();
  const bytes = new TextEncoder().encode(whole);
  const json = JSON.stringify(whole).slice(1, -1);
  const url = encodeURIComponent(whole);
  const forms = [
    whole,
    whole.normalize("NFC"),
    whole.normalize("NFD"),
    Array.from(whole).toReversed().join(""),
    ...[0, 1, 2].map((before) => base64(bytes, before)).flatMap((form) => [form, forUrls(form)]),
    inHex(bytes, ""),
    inHex(bytes, "%"),
    inHex(bytes, "\\x"),
    url,
    url.replaceAll("%20", "+"),
    url.replaceAll("%2F", "/"),
    url.replaceAll(/[!'()*~._-]/gu, (sign) => `%${sign.charCodeAt(0).toString(16)}`),
    json,
    json.replaceAll("/", "\\/"),
    JSON.stringify(json).slice(1, -1),
    inUnits(whole),
    inHtml(whole),
  ];
  return new Set(forms);
}

/** The characters that the bytes alone decide, behind so many other bytes. */
function base64(bytes: Uint8Array, before: number): string {
  const all = new Uint8Array(before + bytes.length);
  all.set(bytes, before);
  let binary = "";
  for (const byte of all) binary += String.fromCharCode(byte);
  return btoa(binary).slice(Math.ceil((before * 8) / 6), Math.floor((all.length * 8) / 6));
}

const forUrls = (form: string): string => form.replaceAll("+", "-").replaceAll("/", "_");

const inHex = (bytes: Uint8Array, before: string): string =>
  Array.from(bytes, (byte) => before + byte.toString(16).padStart(2, "0")).join("");

const inUnits = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");

const HTML: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const inHtml = (text: string): string => text.replaceAll(/[&<>"']/gu, (sign) => HTML[sign] ?? sign);
