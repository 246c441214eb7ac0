import { isObject } from "../../protocol/json.ts";
import { SKILL_LIMITS } from "../../protocol/skill.ts";
import type { Fields } from "./header.ts";
import { nameFault } from "./name.ts";

/** What a header says of a skill. */
export interface Described {
  readonly name: string;
  readonly description: string;
  readonly always: boolean;
  readonly needs: Needs;
}

/** What must be there for a skill to be used. */
export interface Needs {
  readonly bins: readonly string[];
  readonly env: readonly string[];
  /** `linux`, `darwin`, `win32`; empty: everywhere. */
  readonly platforms: readonly string[];
}

export type DescriptionFault =
  | { readonly why: "no-name" | "no-description" | "needs" }
  | { readonly why: "name"; readonly name: string }
  | { readonly why: "other-name"; readonly name: string; readonly folder: string }
  | { readonly why: "description-too-long"; readonly chars: number };

/** What the fields of a header say, where they say what they must (nanobot.md §6). */
export function describe(fields: Fields, folder: string): Described | { readonly fault: DescriptionFault } {
  const { name, description } = fields;
  if (typeof name !== "string") return { fault: { why: "no-name" } };
  if (name !== folder) return { fault: { why: "other-name", name: oneLine(name), folder } };
  if (nameFault(name) !== undefined) return { fault: { why: "name", name: oneLine(name) } };
  const told = typeof description === "string" ? description.trim() : "";
  if (told === "") return { fault: { why: "no-description" } };
  const chars = Array.from(told).length;
  if (chars > SKILL_LIMITS.descriptionChars) return { fault: { why: "description-too-long", chars } };
  const places = placesOf(fields);
  const needs = needsIn(places);
  if (needs === undefined) return { fault: { why: "needs" } };
  const always = places.some((place) => place["always"] === true);
  return { name, description: oneLine(told), always, needs };
}

const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();

/** Where conditions stand: in the header, in its `metadata`, in what `metadata` says to one program; also as JSON. */
function placesOf(fields: Fields): Fields[] {
  const metadata = objectOf(fields["metadata"]);
  const own = Object.values(metadata).map(objectOf);
  return [fields, metadata, ...own];
}

function objectOf(given: unknown): Fields {
  if (isObject(given)) return given;
  if (typeof given !== "string" || !given.trimStart().startsWith("{")) return {};
  try {
    const parsed: unknown = JSON.parse(given);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

const PLATFORMS: ReadonlyMap<string, string> = new Map([
  ["macos", "darwin"],
  ["osx", "darwin"],
  ["windows", "win32"],
]);

/** Undefined: something in it is no list of names, so nobody knows what is needed. */
function needsIn(places: readonly Fields[]): Needs | undefined {
  const bins: string[] = [];
  const env: string[] = [];
  const platforms: string[] = [];
  for (const place of places) {
    const requires = objectOf(place["requires"]);
    const before = objectOf(place["prerequisites"]);
    const lists = [requires["bins"], before["commands"], requires["env"], before["env_vars"]].map(namesOf);
    const systems = [place["platforms"], place["os"]].map(namesOf);
    if (![...lists, ...systems].every((list) => list !== undefined)) return undefined;
    const [one = [], two = [], three = [], four = []] = lists;
    bins.push(...one, ...two);
    env.push(...three, ...four);
    platforms.push(...systems.flat().map((name = "") => PLATFORMS.get(name.toLowerCase()) ?? name.toLowerCase()));
  }
  return { bins: [...new Set(bins)], env: [...new Set(env)], platforms: [...new Set(platforms)] };
}

/** One name may stand for a list of it. */
function namesOf(given: unknown): readonly string[] | undefined {
  if (given === undefined || given === null) return [];
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  const names = list.filter((name): name is string => typeof name === "string" && /^[\w.+@-]{1,128}$/u.test(name));
  return names.length === list.length && names.length <= MOST_NEEDS ? names : undefined;
}

const MOST_NEEDS = 50;
