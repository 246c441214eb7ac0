import { randomBytes } from "node:crypto";
import type { Grant, PlanPart, Rule } from "../../protocol/approval.ts";
import { isInside } from "../paths.ts";

/** What a rule is held against. */
export interface RuleWorld {
  /** Where the tools work. */
  readonly cwd: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** SHA-256 of a file; undefined: it cannot be read. */
  readonly contentOf: (path: string) => string | undefined;
}

/** Security §3.2: a rule that nobody has used for so long holds no more, ms. */
export const UNUSED_MS: number = 90 * 24 * 3_600_000;

/** Undefined where the program cannot be read that it would be about. `owner`: the session it is of. */
export function newRule(grant: Grant, owner: string | undefined, world: RuleWorld): Rule | undefined {
  const { tool, program, prefix, folder } = grant;
  const content = isWithin(grant, world) ? world.contentOf(program ?? "") : undefined;
  if (isWithin(grant, world) && content === undefined) return undefined;
  return {
    id: randomBytes(4).toString("hex"),
    tool,
    ...(program !== undefined && { program }),
    prefix: [...prefix],
    folder,
    ...(content !== undefined && { content }),
    ...(owner !== undefined && { sessionId: owner }),
    createdMs: world.now(),
    hits: 0,
  };
}

/** Whoever works in the folder can write the programs in it. */
const isWithin = ({ program, folder }: Grant, { cwd }: RuleWorld): boolean =>
  program !== undefined && (isInside(folder, program) || isInside(cwd, program));

/** It was used not long ago, and is about the program that it was made for. */
export function holds(rule: Rule, world: RuleWorld): boolean {
  const { createdMs, usedMs = createdMs, program = "", content } = rule;
  if (world.now() - Math.max(createdMs, usedMs) >= UNUSED_MS) return false;
  return content === undefined ? !isWithin(rule, world) : world.contentOf(program) === content;
}

/** Token by token, never by a pattern and never in the middle of a word (security §3.2). */
export function covers(rule: Rule, { grant, words }: PlanPart, sessionId: string | undefined): boolean {
  if (grant === undefined) return false;
  if (rule.sessionId !== undefined && rule.sessionId !== sessionId) return false;
  return isFor(rule, grant) && rule.prefix.every((word, at) => words[at] === word);
}

/** It is exactly what "always" would write here. */
export const isFor = (rule: Grant, grant: Grant): boolean =>
  rule.tool === grant.tool &&
  rule.program === grant.program &&
  rule.folder === grant.folder &&
  rule.prefix.length === grant.prefix.length &&
  rule.prefix.every((word, at) => word === grant.prefix[at]);
