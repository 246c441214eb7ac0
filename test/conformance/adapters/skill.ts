import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type DeskPlaces, skillDesk } from "../../../src/context/skills/install/desk.ts";
import { tellSkillFile } from "../../../src/context/skills/view.ts";
import type { InstallAnswer } from "../../../src/protocol/skill-install.ts";
import type { Skill } from "../../../src/protocol/skill.ts";
import type { Json, JsonObject } from "../case-file.ts";
import { objectOf } from "../input.ts";

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
];

export const skillUnsupported = (input: Json): string | undefined =>
  Object.keys(objectOf(input, "input")).every((key) => KNOWN.includes(key))
    ? undefined
    : "needs a feature that no skill here has, a later part";

/** `refused`, `flagged; needs explicit consent`, `warn: …`: the words say what is to come of it. */
export function skillExpectation(expect: Json): Json {
  if (typeof expect !== "string") return expect;
  if (/^(?:refused|disabled until)/u.test(expect)) return { refused: true };
  const says = (words: RegExp): boolean => words.test(expect);
  const wanted: Record<string, Json> = {
    ...(says(/\bflagged\b/u) && { flagged: true }),
    ...(says(/\bconsent\b/u) && { consent: true }),
    ...(says(/^warn/u) && { warned: true }),
    ...(says(/\bstripped\b/u) && { stripped: true }),
    ...(says(/\bdiff\b/u) && { diff: true }),
    ...(says(/^disabled\b/u) && { off: true }),
    ...(says(/\btold\b/u) && { told: true }),
    ...(says(/^(?:installed|accepted|allowed|ok)\b/u) && { refused: false, consent: false }),
  };
  return Object.keys(wanted).length === 0 ? expect : wanted;
}

async function came(input: JsonObject, folder: string): Promise<Came> {
  const others = typeof input["existing"] === "string" ? [input["existing"]] : [];
  const places = placesIn(folder, others);
  const desk = skillDesk(places);
  const source = join(folder, "source");
  write(source, filesOf(input));
  if (typeof input["symlink"] === "string") symlinkSync(input["symlink"], join(source, "linked.md"));
  const first = await desk.prepare(source);
  if (input["update"] !== undefined && first.type === "ready") {
    await first.install();
    const isNew = /new(?:er)? version|version bump|higher/u.test(JSON.stringify(input["update"]));
    const text = skillText(input, "Other bytes.");
    write(source, { "SKILL.md": isNew ? text.replace('"1.0"', '"1.1"') : text, "other.md": "new" });
    return judged(await desk.prepare(source), false);
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
  };
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
  Array.isArray(value) ? (value as readonly Json[]).filter((name) => typeof name === "string") : [];

/** What a recording says in words of a header is written as such a header. */
function skillText({ name, text, frontmatter, frontmatter_bytes: bytes }: JsonObject, more = ""): string {
  const [tag] = typeof frontmatter === "string" ? (/!!?[\w/:]+/u.exec(frontmatter) ?? []) : [];
  const lines = [
    `name: ${JSON.stringify(typeof name === "string" ? name : "ordinary")}`,
    "description: Something ordinary.",
    'version: "1.0"',
    ...(typeof frontmatter !== "string" ? [] : [tag === undefined ? frontmatter : `run: ${tag} "x"`]),
    ...(typeof bytes === "number" ? [`note: ${"x".repeat(bytes)}`] : []),
  ];
  const told =
    typeof text === "string" ? text.replace("zero-width", "zero-\u200Bwidth").replace("<!-- -->", "<!-- x -->") : "";
  return `---\n${lines.join("\n")}\n---\n\n# Ordinary\n\n${told}\n${more}\n`;
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
