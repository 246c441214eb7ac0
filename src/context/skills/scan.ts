import type { SkillFile, SkillFinding } from "../../protocol/skill.ts";
import { threatsIn, withoutHidden } from "../prompt/threats.ts";
import { asShown } from "./hidden.ts";
import { lookAlike } from "./look-alike.ts";

interface Sign {
  readonly level: SkillFinding["level"];
  readonly id: string;
  readonly found: RegExp;
  /** It counts only behind this, on the same line: where that begins in what stands before it, or -1. */
  readonly behind?: (line: string) => number;
}

const ask = (id: string, found: RegExp): Sign => ({ level: "ask", id, found });
/** What is rare is looked for first, and what must stand before it where it was found: no text makes that take long. */
const askBehind = (id: string, behind: Sign["behind"], found: string): Sign => ({
  ...ask(id, new RegExp(found, "giu")),
  ...(behind && { behind }),
});

const DOWNLOAD = String.raw`\b(?:curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod)\b`;
const SHELL = String.raw`(?:ba|z|da|k|c|fi)?sh\b|(?:python|node|deno|bun|perl|ruby|php)[\d.]*\b|iex\b|invoke-expression\b|source\b`;
const PIPED_SHELL = String.raw`\|\s{0,8}(?:sudo\s+(?:-\S{1,20}\s+){0,4})?(?:[^\s|]{0,100}/)?(?:${SHELL})`;
const DECODE = String.raw`\b(?:base64\s+(?:-\w{1,20}\s+){0,4}(?:-d|-D|--decode)\b|base32\s+-d\b|openssl\s+(?:enc\s+)?-?base64\s+-d\b|xxd\s+-r\b|uudecode\b|rev\b|tr\s+['"]?[A-Za-z]-)`;

const beginsWith = (pattern: string): NonNullable<Sign["behind"]> => {
  const begin = new RegExp(pattern, "iu");
  return (line) => line.search(begin);
};
const download = beginsWith(DOWNLOAD);

/** One thing, and another behind it. */
const then =
  (first: NonNullable<Sign["behind"]>, second: RegExp): NonNullable<Sign["behind"]> =>
  (line) => {
    const at = first(line);
    return at >= 0 && second.test(line.slice(at)) ? at : -1;
  };

/**
 * What a skill says to do that its reader should know of before. A filter of what is plain and no boundary: scripts run
 * under the policy of the tools alone (security.md §3.8).
 */
const SIGNS: readonly Sign[] = [
  askBehind("fake_prerequisite", download, PIPED_SHELL),
  ask("fake_prerequisite", new RegExp(String.raw`(?:${SHELL})[^\n]{0,40}(?:<\(|\$\(|\x60)\s{0,8}${DOWNLOAD}`, "iu")),
  ask(
    "fake_prerequisite",
    new RegExp(String.raw`\b(?:iex|invoke-expression)\b[^\n]{0,80}(?:${DOWNLOAD}|downloadstring)`, "iu"),
  ),
  askBehind(
    "fake_prerequisite",
    then(download, /&&|;/u),
    String.raw`chmod\s+\S{0,12}\+?x|(?:^|[;&\s])(?:ba|z|da)?sh\s`,
  ),
  ask(
    "fake_prerequisite",
    /\b(?:pip3?|npm|pnpm|yarn|gem|cargo|go)\s+(?:-\S{1,80}\s+){0,4}(?:install|i|add|exec)\s[^\n]{0,200}(?:git\+|https?:\/\/)/iu,
  ),
  ask(
    "fake_prerequisite",
    /\bpassword[\s\S]{0,40}\b(?:zip|archive|rar)\b|\b(?:zip|archive|rar)\b[\s\S]{0,40}\bpassword\b/iu,
  ),
  ask(
    "fake_prerequisite",
    /\bxattr\s+-\w{0,4}d\w{0,4}\s+com\.apple\.quarantine|\bspctl\s+--(?:master|global)-disable/iu,
  ),
  ask(
    "fake_prerequisite",
    /\b(?:download|install|fetch|run|execute|launch|open|unzip|unpack)\b[^\n]{0,200}\bhttps?:\/\/[^\s"'`<>)]{1,300}\.(?:exe|msi|dmg|pkg|deb|rpm|appimage|jar|scr|bat|cmd|ps1|vbs|zip|7z|rar)\b/iu,
  ),
  ask(
    "fake_prerequisite",
    /\b(?:install|run|execute|launch|open)\s[^\n]{0,80}\.(?:exe|msi|dmg|pkg|scr|bat|cmd|ps1|vbs)\b[^\n]{0,80}\bhttps?:\/\//iu,
  ),
  askBehind(
    "fake_prerequisite",
    then(beginsWith(String.raw`\bgit\s+clone\b`), /&&|;/u),
    String.raw`\b(?:make|npm|pnpm|yarn|pip3?|cargo|python3?|node|bash|sh)\b|\./`,
  ),
  ask("fake_prerequisite", /\b(?:eval|exec)\s{0,4}\([^\n]{0,120}(?:https?:\/\/|requests\.|urlopen|urllib|fetch\()/iu),
  // Whatever is piped there is nothing that a reader of the skill has seen; a table has a bar behind the word, too.
  ask(
    "fake_prerequisite",
    /[^\s|]\s{0,8}\|\s{0,8}(?:sudo\s+(?:-\S{1,20}\s+){0,4})?(?:ba|z|da|k|c|fi)?sh\b(?![-.\w]|\s{0,8}\|)/iu,
  ),
  ask("remote_shell", /\bn(?:c|cat|etcat)\s[^\n]{0,60}(?<=\s)-\w{0,6}[ec]\b|\/dev\/(?:tcp|udp)\/\w/iu),
  askBehind("encoded_command", beginsWith(DECODE), PIPED_SHELL),
  askBehind("encoded_command", then(beginsWith(String.raw`${SHELL}|\beval\b`), /<\(|\$\(|\x60/u), DECODE),
  ask("encoded_command", /\b(?:powershell|pwsh)\b[^\n]{0,80}\s-e(?:nc|ncodedcommand|c)?\s/iu),
  ask(
    "encoded_command",
    /\b(?:eval|exec|Function)\s{0,4}\(\s{0,4}[^\n]{0,80}(?:atob|b64decode|fromCharCode|from\s{0,3}\([^\n)]{0,200}base64|unhexlify|decompress)/iu,
  ),
  ask("encoded_blob", /(?<![\w+/=-])(?:[A-Za-z0-9+/]{200,}|(?:[A-Za-z0-9+/]{76}\n){3,}|[A-Za-z0-9_-]{300,})={0,2}/u),
  ask("encoded_blob", /(?:\\x[0-9a-f]{2}){24,}|(?<![\w])[0-9a-f]{300,}/iu),
  ask(
    "secret_path",
    /(?:~|\$HOME|\$\{HOME\}|%USERPROFILE%|\/home\/\w+|\/root|\/Users\/\w+)[/\\]\.(?:ssh|aws|gnupg|kube|docker|azure|netrc|pgpass|npmrc|pypirc|git-credentials|config[/\\](?:gh|gcloud|evander))\b/iu,
  ),
  ask("secret_path", /\bid_(?:rsa|ed25519|ecdsa|dsa)\b|\/etc\/(?:shadow|sudoers)\b|\/proc\/(?:self|\d+)\/environ\b/iu),
  ask(
    "secret_path",
    /\b(?:cat|type|less|head|tail|cp|scp|base64|curl|wget|upload|send|print|read|open)\b[^\n]{0,80}(?:^|[\s"'`/\\@])(?:\.env(?:\.\w+)?|(?:credentials|auth|keys|secrets?)\.(?:json|ya?ml|toml))\b/iu,
  ),
  ask(
    "secret_path",
    /\b(?:printenv|env)\s{0,8}\|[^\n]{0,80}\b(?:curl|wget|nc|base64)\b|\bgpg2?\b[^\n]{0,80}--export-secret/iu,
  ),
  ask(
    "secret_path",
    /\b(?:login\.keychain|Local State|Login Data|wallet\.dat|security\s+find-(?:generic|internet)-password)\b/u,
  ),
  ask(
    "lasting_change",
    /\b(?:crontab\s+-|systemctl\s+(?:--user\s+)?enable\b|launchctl\s+(?:load|bootstrap)\b|authorized_keys\b)|\.(?:(?:ba|z)shrc|(?:bash_)?profile)\b/u,
  ),
  ask(
    "lasting_change",
    /\b(?:approvals?|sandbox)(?:\.\w{1,20})?(?:\s{0,3}[=:]\s{0,3}|\s{1,3})["']?(?:off|never|none|false|yolo|disabled?)\b/iu,
  ),
  ask(
    "lasting_change",
    /\b(?:LD_PRELOAD|DYLD_INSERT_LIBRARIES|NODE_OPTIONS|BASH_ENV|PYTHONSTARTUP|GIT_SSH_COMMAND|[A-Z][A-Z0-9_]{0,30}_BASE_URL)=/u,
  ),
  ask("deletes_all", /\brm\s+(?:-\S{1,20}\s+){1,4}["']?(?:~|\/|\$HOME|\$\{HOME\})\/?\*?["']?(?=[\s;&|`]|$)/mu),
  ask(
    "odd_link",
    /\bhttps?:\/\/(?:\d{1,3}(?:\.\d{1,3}){3}|0x[0-9a-f]+|[^\s/]*xn--[^\s/]*|(?:bit\.ly|tinyurl\.com|t\.co|goo\.gl|is\.gd|rb\.gy|cutt\.ly|pastebin\.com|rentry\.co|glot\.io|ngrok\.io|webhook\.site|requestbin\.\w+|transfer\.sh)\b)/iu,
  ),
  ask("odd_link", /!\[[^\]\n]{0,200}\]\(\s{0,3}https?:[^)\s]{0,300}\?[^)\s]{0,300}=\s{0,2}(?:<|\{|\$|%7b)/iu),
  ask("odd_link", /\bdata:[\w.+-]+\/[\w.+-]+;base64,[A-Za-z0-9+/]{80}|\bjavascript:/iu),
];

const LINK = /\bhttps?:\/\/([^\s/"'`<>)\]:]{1,253})/giu;
const MOST_LINKS = 20;

/** Longer lines are looked at in pieces, so that no search is long; each piece begins a little before the last one ends. */
const PIECE = 8_000;
const OVERLAP = 1_000;

/** What there is to say of the files of a skill before anybody trusts it. `known`: names of the skills that are there. */
export function scanSkill(files: readonly SkillFile[], name = "", known: readonly string[] = []): SkillFinding[] {
  const alike = lookAlike(name, known);
  const findings = files.flatMap(scanFile);
  if (alike === undefined) return findings;
  return [{ level: "ask", id: "look_alike_name", file: "", text: `${name} looks like ${alike}` }, ...findings];
}

function scanFile({ path, text }: SkillFile): SkillFinding[] {
  const { text: shown, hidden } = asShown(path, text);
  const threats = threatsIn(shown);
  return [
    ...threats.map((id): SkillFinding => ({ level: "refuse", id, file: path, text: "" })),
    ...hidden.map((id): SkillFinding => ({ level: "ask", id, file: path, text: "" })),
    ...signsOf(path, withoutHidden(text).text),
    ...linksOf(path, shown),
  ];
}

/** Each sign once in a file, where it is first found; in comments too. */
function signsOf(file: string, text: string): SkillFinding[] {
  const found = new Map<string, SkillFinding>();
  for (const [from, piece] of piecesOf(text))
    for (const sign of SIGNS) {
      const { level, id } = sign;
      const place = found.has(id) ? undefined : firstIn(piece, sign);
      if (place === undefined) continue;
      const line = lineAt(text, from + place.from);
      found.set(id, { level, id, file, line, text: shortLine(piece.slice(place.from, place.until)) });
    }
  return [...found.values()];
}

/** So far before a sign is looked, in characters. */
const BEHIND = 400;

interface Span {
  readonly from: number;
  readonly until: number;
}

function firstIn(piece: string, { found, behind }: Sign): Span | undefined {
  if (behind === undefined) {
    const match = found.exec(piece);
    return match === null ? undefined : { from: match.index, until: match.index + match[0].length };
  }
  for (const { 0: match, index } of piece.matchAll(found)) {
    const start = Math.max(piece.lastIndexOf("\n", index - 1) + 1, index - BEHIND);
    const at = behind(piece.slice(start, index));
    if (at >= 0) return { from: start + at, until: index + match.length };
  }
  return undefined;
}

function* piecesOf(text: string): Generator<readonly [from: number, piece: string]> {
  for (let from = 0; from < text.length; from += PIECE - OVERLAP) {
    yield [from, text.slice(from, from + PIECE)];
    if (from + PIECE >= text.length) return;
  }
}

const lineAt = (text: string, at: number): number => text.slice(0, at).split("\n").length;

const MOST_SHOWN = 120;

function shortLine(text: string): string {
  const line = text.replaceAll(/[\s\p{C}]+/gu, " ").trim();
  return line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)}…` : line;
}

/** Where it sends its reader. */
function linksOf(file: string, text: string): SkillFinding[] {
  const hosts = new Set<string>();
  for (const [, host = ""] of text.matchAll(LINK)) {
    hosts.add(host.toLowerCase());
    if (hosts.size >= MOST_LINKS) break;
  }
  return hosts.size === 0 ? [] : [{ level: "tell", id: "links", file, text: shortLine([...hosts].join(", ")) }];
}
