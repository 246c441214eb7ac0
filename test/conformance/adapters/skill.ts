import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type DeskPlaces, skillDesk } from "../../../src/context/skills/install/desk.ts";
import { readSource } from "../../../src/context/skills/install/source.ts";
import { tellSkillFile } from "../../../src/context/skills/view.ts";
import type { InstallAnswer, SkillParcel } from "../../../src/protocol/skill-install.ts";
import type { Skill } from "../../../src/protocol/skill.ts";
import type { Json, JsonObject } from "../case-file.ts";
import { objectOf, textOrNone } from "../input.ts";

/** What came of a skill that somebody wants to install. */
interface Came {
  readonly refused: boolean;
  /** A person is told of something in it. */
  readonly flagged: boolean;
  /** Nobody can agree to it without having been told. */
  readonly consent: boolean;
  /** It is taken for another one. */
  readonly warned: boolean;
  /** What nobody sees in it is not told to a model. */
  readonly stripped: boolean;
  /** What an update changes is shown. */
  readonly diff: boolean;
  readonly off: boolean;
  readonly told: boolean;
  /** A person sees what changes or what it needs before. */
  readonly shown: boolean;
}

/** One feature of a skill; all else of it is in order. */
export async function skillCase(input: Json): Promise<unknown> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "evander-skill-case-")));
  try {
    return await came(objectOf(input, "input"), root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

const KNOWN = [
  "name",
  "existing",
  "text",
  "frontmatter",
  "frontmatter_bytes",
  "files_not_in_manifest",
  "files_missing",
  "hash_mismatch",
  "symlink",
  "update",
  "revoked_in_list",
  "file_bytes",
  "body_bytes",
  "files",
  "needs",
  "source",
  "commit",
];

/** What of an update is nothing that one source can show. */
const NO_UPDATE = /publisher|author|signature|auto|absent|unattended|edited/iu;

export function skillUnsupported(input: Json, expect: Json): string | undefined {
  const given = objectOf(input, "input");
  if (!Object.keys(given).every((key) => KNOWN.includes(key)) || NO_UPDATE.test(textOrNone(given["update"])))
    return "needs a feature that no skill here has, a later part";
  return typeof skillExpectation(expect) === "string" ? "needs what the sentence says, a later part" : undefined;
}

/** What the words of a sentence claim. */
const CLAIMS: readonly (readonly [words: RegExp, claim: Partial<Came>])[] = [
  [/\bflagged\b/u, { flagged: true }],
  [/\bconsent\b/u, { consent: true }],
  [/^warn/u, { warned: true }],
  [/\bstripped\b/u, { stripped: true }],
  [/\bdiff\b/u, { diff: true }],
  [/^disabled\b/u, { off: true }],
  [/\btold\b/u, { told: true }],
  [/\bshown\b/u, { shown: true }],
  [/^(?:installed|accepted|allowed|ok)\b/u, { refused: false, consent: false }],
];

/** `refused`, `flagged; needs explicit consent`, `warn: …`: the words say what is to come of it. */
export function skillExpectation(expect: Json): Json {
  if (typeof expect !== "string") return expect;
  if (/^(?:refused|disabled until)/u.test(expect)) return { refused: true };
  const claims = CLAIMS.filter(([words]) => words.test(expect)).map(([, claim]) => claim);
  return claims.length === 0 ? expect : Object.assign({}, ...claims);
}

async function came(input: JsonObject, folder: string): Promise<Came> {
  const others = typeof input["existing"] === "string" ? [input["existing"]] : [];
  const places = placesIn(folder, others);
  const where = sourceIn(input);
  if (where !== undefined) return { ...NOTHING, refused: "why" in readSource(where, places) };
  const desk = skillDesk(places);
  const source = join(folder, "source");
  write(source, filesOf(input));
  for (const [name, target] of linksIn(input)) symlinkSync(target, join(source, name));
  const first = await desk.prepare(source);
  if (typeof input["update"] === "string" && first.type === "ready") {
    const { folder: where } = await first.install();
    write(source, updated(input, input["update"]));
    const before = readFileSync(join(where, "SKILL.md"), "utf8");
    const later = judged(await desk.prepare(source), false);
    // It waits for a yes: what is there is as it was.
    return { ...later, consent: later.consent && readFileSync(join(where, "SKILL.md"), "utf8") === before };
  }
  if (input["revoked_in_list"] === true && first.type === "ready") {
    const { folder: where } = await first.install();
    writeFileSync(places.revokedList, "# no more\nordinary\n");
    const skill: Skill = { name: "ordinary", description: "", root: "user", folder: where };
    const line = desk.revoked([skill]).named.get("ordinary");
    return { ...judged(first, false), off: line !== undefined, told: line === "ordinary" };
  }
  return judged(first, isShownOnly(source));
}

/** Nothing else is known of a source that is only named. */
const NOTHING: Came = {
  refused: false,
  flagged: false,
  consent: false,
  warned: false,
  stripped: false,
  diff: false,
  off: false,
  told: false,
  shown: false,
};

/** Where a skill is said to come from, when that is all that is said. */
function sourceIn({ source, commit }: JsonObject): string | undefined {
  if (typeof commit === "string") return `https://host.test/skills.git#${commit}`;
  return typeof source === "string" ? source : undefined;
}

/** A model is told what a person sees, and nothing that was hidden behind it. */
function isShownOnly(source: string): boolean {
  const told = tellSkillFile(source, "SKILL.md");
  return !("fault" in told) && told.hidden.length > 0 && !/<!--|[\u200B-\u200F\u2060\uFEFF]/u.test(told.text);
}

function judged(answer: InstallAnswer, stripped: boolean): Came {
  const refused = answer.type === "refused";
  const findings =
    answer.type === "ready" ? answer.parcel.findings : refused && answer.why === "dangerous" ? answer.findings : [];
  const update = answer.type === "ready" ? answer.parcel.update : undefined;
  const grave = findings.filter(({ level }) => level !== "tell");
  return {
    refused,
    flagged: grave.length > 0,
    consent: grave.length > 0 || update !== undefined,
    warned: findings.some(({ id }) => id === "look_alike_name"),
    stripped,
    diff: update !== undefined && update.differences.some(({ lines }) => lines.length > 0),
    off: false,
    told: false,
    shown: answer.type === "ready" && isShown(answer.parcel),
  };
}

/** Of an update its lines; else what it needs. */
const isShown = ({ update, manifest: { needs } }: SkillParcel): boolean =>
  update === undefined ? Object.values(needs).flat().length > 0 : update.differences.length > 0;

/** Links in it, by their names. */
function linksIn({ symlink, files }: JsonObject): (readonly [name: string, target: string])[] {
  const listed = namesIn(files).flatMap((file) => {
    const [, name, target] = /^(.+) -> (.+)$/u.exec(file) ?? [];
    return name === undefined || target === undefined ? [] : [[name, target] as const];
  });
  return typeof symlink === "string" ? [...listed, ["linked.md", symlink]] : listed;
}

/** The same skill as its source has it later, as a sentence says of it. */
function updated(input: JsonObject, says: string): Record<string, string> {
  if (/same bytes|identical|unchanged/iu.test(says)) return {};
  const version = /same version/iu.test(says) ? "1.0" : /older|downgrade/iu.test(says) ? "0.9" : "1.1";
  const needs = /needs/iu.test(says) ? { needs: { bins: ["curl"] } } : {};
  const [, added = "other.md"] = /\badds? ([\w./-]+\.\w+)/iu.exec(says) ?? [];
  return { "SKILL.md": skillText({ ...input, ...needs, version }, "Other bytes."), [added]: "new" };
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

function filesOf(input: JsonObject): Record<string, string> {
  const files: Record<string, string> = { "SKILL.md": skillText(input) };
  const { files_not_in_manifest: extra, files_missing: missing, hash_mismatch: wrong, file_bytes: bytes } = input;
  if (typeof bytes === "number") files["assets/large.txt"] = "x".repeat(bytes);
  for (const name of namesIn(input["files"])) if (!name.includes(" -> ")) files[name] ??= "text";
  if (extra === undefined && missing === undefined && wrong === undefined) return files;
  const hash = createHash("sha256")
    .update(files["SKILL.md"] ?? "")
    .digest("hex");
  const listed: Record<string, string> = { "SKILL.md": wrong === undefined ? hash : "0".repeat(64) };
  for (const path of namesIn(missing)) listed[path] = hash;
  for (const path of namesIn(extra)) files[path] = "true";
  return { ...files, "manifest.json": JSON.stringify({ id: "ordinary", version: "1.0", files: listed }) };
}

const namesIn = (value: Json | undefined): string[] =>
  (Array.isArray(value) ? (value as readonly Json[]) : [value]).filter((name) => typeof name === "string");

/** What a recording names in words stands there as itself. */
const HIDDEN: readonly (readonly [said: RegExp, sign: string])[] = [
  [/zero-width/u, "zero-\u200Bwidth"],
  [/<!-- -->/u, "<!-- x -->"],
  [/\b(?:bidi|right-to-left|RTL)\b/u, "\u202E"],
  [/\b(?:unicode tags?|tag characters?)\b/iu, "\u{E0041}"],
];

/** What a recording says in words of a header is written as such a header. */
function skillText(input: JsonObject, more = ""): string {
  const { name, version, text, needs, frontmatter, frontmatter_bytes: bytes, body_bytes: body } = input;
  const [tag] = typeof frontmatter === "string" ? (/!!?[\w/:]+/u.exec(frontmatter) ?? []) : [];
  const lines = [
    `name: ${JSON.stringify(typeof name === "string" ? name : "ordinary")}`,
    "description: Something ordinary.",
    `version: "${typeof version === "string" ? version : "1.0"}"`,
    ...(needs === undefined ? [] : [`requires: ${JSON.stringify(needs)}`]),
    ...(typeof frontmatter !== "string" ? [] : [tag === undefined ? frontmatter : `run: ${tag} "x"`]),
    ...(typeof bytes === "number" ? [`note: ${"x".repeat(bytes)}`] : []),
  ];
  const told = HIDDEN.reduce((said, [words, sign]) => said.replace(words, sign), textOrNone(text));
  const long = typeof body === "number" ? "x".repeat(body) : "";
  return `---\n${lines.join("\n")}\n---\n\n# Ordinary\n\n${told}\n${long}${more}\n`;
}

const placesIn = (folder: string, others: readonly string[]): DeskPlaces => ({
  cwd: folder,
  home: folder,
  root: join(folder, "skills"),
  revokedList: join(folder, "skills-revoked"),
  env: {},
  account: "somebody",
  names: () => Promise.resolve({ bundled: [], others }),
  now: () => 0,
  alone: (work) => work(),
});
