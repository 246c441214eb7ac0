import type { SkillFinding } from "../../protocol/skill.ts";
import type { SkillDifference, SkillNeeds, SkillParcel } from "../../protocol/skill-install.ts";
import { oneLine, spelledOut } from "../../session/plain-text.ts";
import type { Language } from "../../words/language.ts";
import {
  CHANGES,
  fileCount,
  findings as findingsSentence,
  fromWhere,
  moreLines,
  needs,
  SKILL_SAYS,
  updates,
} from "../../words/skills.ts";

interface View {
  readonly language: Language;
  /** All lines of an update. */
  readonly whole: boolean;
}

/** All that a person has to see before a yes; what does not show itself is spelt out. */
export function parcelLines(parcel: SkillParcel, view: View): string[] {
  const { manifest, description, origin, files, findings } = parcel;
  const { language } = view;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return [
    spelledOut(`${manifest.id} ${manifest.version}: ${description}`),
    spelledOut(fromWhere(origin)[language]),
    needsLine(manifest.needs, language),
    fileCount(files.length, bytes)[language],
    ...files.map((file) => spelledOut(`  ${String(file.bytes).padStart(8)}  ${file.path}`)),
    ...findingLines(findings, language),
    ...updateLines(parcel.update, view),
  ];
}

function needsLine(said: SkillNeeds, language: Language): string {
  const parts = Object.entries(said).flatMap(([kind, names]: [string, readonly string[]]) =>
    names.length === 0 ? [] : [`${kind}: ${names.join(", ")}`],
  );
  return parts.length === 0 ? SKILL_SAYS.needsNothing[language] : spelledOut(needs(parts.join("; "))[language]);
}

export function findingLines(findings: readonly SkillFinding[], language: Language): string[] {
  if (findings.length === 0) return [SKILL_SAYS.noFindings[language]];
  const marked = findings.filter(needsConsent).length;
  return [
    findingsSentence(findings.length, marked)[language],
    ...findings.map((finding) => {
      const place = finding.line === undefined ? finding.file : `${finding.file}:${finding.line}`;
      return spelledOut(
        `  ${needsConsent(finding) ? "!" : " "} ${place}  ${finding.id}  ${oneLine(finding.text)}`.trimEnd(),
      );
    }),
  ];
}

export const needsConsent = ({ level }: SkillFinding): boolean => level !== "tell";

/** Of all files together. */
const SHOWN_LINES = 60;

function updateLines(update: SkillParcel["update"], { language, whole }: View): string[] {
  if (update === undefined) return [];
  const { version, edited, differences } = update;
  const lines = differences.flatMap((difference) => differenceLines(difference, language));
  const shown = whole ? lines : lines.slice(0, SHOWN_LINES);
  return [
    version === undefined ? SKILL_SAYS.onlyNew[language] : spelledOut(updates(version)[language]),
    ...(edited ? [SKILL_SAYS.editedSince[language]] : []),
    ...shown,
    ...(shown.length < lines.length ? [moreLines(lines.length - shown.length)[language]] : []),
  ];
}

function differenceLines({ path, change, lines }: SkillDifference, language: Language): string[] {
  const noText = lines.length === 0 ? `  (${SKILL_SAYS.noText[language]})` : "";
  return [
    spelledOut(`${CHANGES[change][language]}  ${path}${noText}`),
    ...lines.map((line) => spelledOut(`  ${line}`)),
  ];
}
