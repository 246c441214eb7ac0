import { dice } from "../../support/dice.ts";
import { MISBEHAVIOURS, type Misbehaviour } from "./servers.ts";

/** What lies around one command line that is to fail. */
export interface Invocation {
  /** Which of the run it is; with the seed it is made again. */
  readonly index: number;
  readonly argv: readonly string[];
  readonly stdin: Uint8Array | "closed";
  readonly env: Readonly<Record<string, string>>;
  readonly model: "dead" | "none" | "bad-key" | Misbehaviour;
  readonly home: "fresh" | "kept" | "damaged" | "newer" | "unwritable" | "file";
}

/** Numbers of chance that are the same for the same seed: from 0 up to, not including, 1. */
type Chance = () => number;

const chanceOf = (seed: number, index: number): Chance =>
  dice(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));

const oneOf = <T>(chance: Chance, items: readonly [T, ...T[]]): T =>
  items[Math.floor(chance() * items.length)] ?? items[0];

/** Texts that break what does not expect them. None has a NUL: no system hands one to a program. */
const HOSTILE = [
  "",
  " ",
  "-",
  "--",
  "--=",
  "-1",
  "NaN",
  "1e999",
  "99999999999999999999",
  "../../../../etc/passwd",
  "/dev/null",
  "\u001B[2J\u001B]0;title\u0007",
  "\r\nevander: ok",
  "\u202Eedoc\u202C",
  "\u2028\u2029\u0085",
  "%s%n",
  "$(id)",
  "' OR 1=1 --",
  '{"a":',
  "__proto__",
  "constructor",
  "toString",
  "👩‍👩‍👧",
  "港口",
  "x".repeat(3_000),
] as const;

const VERBS = [
  "frob",
  "sesion",
  "session frob",
  "turn frob",
  "config frob",
  "approve",
  "nxt",
  "serve",
  "gateway run",
  "mcp",
] as const;
const LATER = ["--schema", "--max-cost", "--sandbox", "--record", "--replay", "--frob", "--Output", "--promt"] as const;

/** `?` stands for a hostile text. */
const PROMPTS = [
  "-p hi --max-iterations ?",
  "-p hi --max-time ?",
  "-p hi --config ?",
  "-p hi --config maxIterations=?",
  "-p hi --config stream.idleMs=?",
  "-p hi --approve ?",
  "-p hi --lang ?",
  "-p hi --cwd missing/?",
  "-p hi --resume missing?",
  "-p hi --resume last --new",
  "-p hi --tools ?",
  "-p hi --provider ?",
  "-p hi --profile ?",
  "-p hi --quiet --verbose",
  "-p hi --messages --output text",
  "-p hi --no-save --resume last",
  "-p hi --no-save --idempotency-key k",
  "-p hi --idempotency-key bad?",
  "-p hi --file missing/?",
  "-p hi --file picture.png",
  "-p hi --file paper.pdf",
  "-p hi --file .",
  "-p hi --file https://h.test/?",
  "-p @missing?",
  "-p @picture.png",
  "-p",
  "run",
  "run --frob ?",
  "session resume ? --continue",
  "session resume last --continue",
  "session resume last",
  "--no-save",
  "--output json",
] as const;

const MANAGEMENT = [
  "session show missing?",
  "session show",
  "session list --limit ?",
  "session list --since ?",
  "session search",
  "session search x --limit ?",
  "session rename missing? x",
  "session rename last ?",
  "session rm missing? --yes",
  "session rm last",
  "session prune",
  "session prune --keep ?",
  "session prune --older-than ?",
  "session export missing?",
  "session export --format ?",
  "session import missing/?",
  "session import picture.png",
  "session import broken.jsonl",
  "session import -",
  "turn show missing?",
  "turn explain missing?",
  "turn explain",
  "approve yes missing?",
  "approve no ?",
  "next ?",
  "next 99",
  "memory why missing?",
  "memory forget ? missing",
  "memory restore missing?",
  "memory review yes ?",
  "memory review ?",
  "memory edit",
  "memory edit ?",
  "config get ?",
  "config set ? ?",
  "ps --output ?",
  "model test ?",
  "model list ?",
  "model frob",
  "debug classify ?",
  "debug classify missing/?",
  "debug classify --status ?",
  "debug classify --header ? --status 400",
  "doctor ?",
  "doctor providers ?",
] as const;

const WORKS = [
  "-p hi",
  "run hi",
  "-p hi --resume last",
  "session resume last --continue",
  "-p hi --idempotency-key k",
] as const;

/** The invocation of this number; most of them fail. */
export function invocationOf(seed: number, index: number): Invocation {
  const chance = chanceOf(seed, index);
  const hostile = (): string => oneOf(chance, HOSTILE);
  const words = (template: string): string[] => template.split(" ").map((word) => word.replace("?", hostile));
  const scene = oneOf(chance, ["flag", "value", "management", "verb", "model", "home", "noise"] as const);
  const stdin = oneOf(chance, STDINS);
  const model = scene === "model" ? oneOf(chance, ["dead", "none", "bad-key", ...MISBEHAVIOURS] as const) : "none";
  const home =
    scene === "home"
      ? oneOf(chance, ["damaged", "newer", "unwritable", "file"] as const)
      : oneOf(chance, ["fresh", "kept"] as const);
  const base = wordsOfScene(scene, { chance, hostile, words });
  const argv = [...base, ...words(oneOf(chance, FORMS))].filter((word, at) => word !== "" || at < base.length);
  const env = {
    LC_ALL: oneOf(chance, ["C", "zh_CN.UTF-8", "xx"]),
    ...(scene === "noise" && { EVANDER_PROFILE: hostile() }),
  };
  return { index, argv, stdin, env, model: scene === "home" ? "dead" : model, home };
}

const STDINS: readonly [Invocation["stdin"], ...Invocation["stdin"][]] = [
  new Uint8Array(),
  "closed",
  Buffer.from("a log\n"),
  Buffer.from([1, 0, 255]),
];

const FORMS = ["", "", "--output json", "--output jsonl", "--json", "--output=json"] as const;

interface Words {
  readonly chance: Chance;
  readonly hostile: () => string;
  readonly words: (template: string) => string[];
}

function wordsOfScene(scene: string, { chance, hostile, words }: Words): string[] {
  switch (scene) {
    case "flag":
      return ["-p", "hi", oneOf(chance, LATER), hostile()];
    case "value":
      return words(oneOf(chance, PROMPTS));
    case "management":
      return words(oneOf(chance, MANAGEMENT));
    case "verb":
      return [...words(oneOf(chance, VERBS)), ...(chance() < 0.5 ? [hostile()] : [])];
    case "model":
    case "home":
      return [...words(oneOf(chance, WORKS)), "--config", "retry.baseMs=1", "--config", "retry.maxMs=1"];
    default: {
      const any = [...PROMPTS, ...MANAGEMENT, ...VERBS, ...LATER].flatMap((template) => template.split(" "));
      const [first = "-p", ...rest] = any;
      return Array.from({ length: 1 + Math.floor(chance() * 6) }, () =>
        oneOf(chance, [first, ...rest]).replace("?", hostile),
      );
    }
  }
}
