import { join } from "node:path";
import type { ModelName } from "../../protocol/ports.ts";
import type { BuiltPrompt } from "../../protocol/prompt.ts";
import { projectInstructions, userInstructions } from "./instructions.ts";
import { memoryParts } from "./memories.ts";
import { type Part, tellFile } from "./part.ts";
import { dayOf, sessionLines, workingFolderLine } from "./session-lines.ts";
import { shownPath } from "./shown-path.ts";
import { IDENTITY, SURFACE_HINT, type Surface, systemName, toolGuidance } from "./texts.ts";
import { promptOf } from "./whole.ts";

/** Where the prompts of a program's sessions come from: what it knows before there is one. */
export interface PromptPlaces {
  readonly cwd: string;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly surface: Surface;
  /** What the user writes: `SOUL.md`, `EVANDER.md` or `AGENTS.md`, `skills/`. The first one that has something holds. */
  readonly ownFolders: readonly string[];
  /** Where `MEMORY.md` and `USER.md` lie; undefined: nothing is remembered. */
  readonly memoryFolder: string | undefined;
  readonly isTrusted: (folder: string) => boolean;
}

/** What is known when a prompt is built. */
export interface PromptAsked {
  readonly model: ModelName;
  /** Names of the tools there are. */
  readonly tools: readonly string[];
  /** Tokens; undefined: unknown. */
  readonly contextWindow: number | undefined;
  /** What whoever runs the program adds of its own. */
  readonly system?: string | undefined;
  /** When the conversation began: a day in words, out of an earlier prompt; else it begins now. */
  readonly started: string;
  readonly nowMs: number;
  /** What is said of skills. */
  readonly skills?: readonly Part[];
}

/** Characters of one instruction file (hermes.md §3.2). */
const MAX_INSTRUCTIONS = 20_000;

/** In a small window no text takes more than about an eighth of it: half as many characters as the window has tokens. */
const within = (limit: number, contextWindow: number = Infinity): number =>
  Math.min(limit, Math.floor(contextWindow / 2));

/**
 * A whole system prompt: three tiers, joined by blank lines, what changes least in front (hermes.md §3.2). The same files
 * on the same day give the same bytes. It reads few and bounded files, and none of them can make it fail.
 */
export function buildPrompt(places: PromptPlaces, asked: PromptAsked): BuiltPrompt {
  return promptOf([...stableParts(places, asked), ...contextParts(places, asked), ...volatileParts(places, asked)]);
}

function stableParts(places: PromptPlaces, { tools, contextWindow, skills = [] }: PromptAsked): Part[] {
  const { cwd, home, platform, surface, ownFolders } = places;
  const environment = [
    `Operating system: ${systemName(platform)}`,
    `Home folder: ${shownPath(home)}`,
    workingFolderLine(shownPath(cwd)),
  ];
  return [
    identity(ownFolders, within(MAX_INSTRUCTIONS, contextWindow)),
    { tier: "stable", name: "tool guidance", text: toolGuidance(tools) },
    ...skills,
    { tier: "stable", name: "environment", text: environment.join("\n") },
    { tier: "stable", name: "surface", text: SURFACE_HINT[surface] },
  ];
}

function identity(folders: readonly string[], limit: number): Part {
  const own = firstOf(folders, (folder): Part | undefined => {
    const source = join(folder, "SOUL.md");
    const told = tellFile(source, { label: "SOUL.md", limit });
    return told && { tier: "stable", name: "identity", source, ...told };
  });
  if (own === undefined) return { tier: "stable", name: "identity", text: IDENTITY };
  // Whatever is wrong with the file, somebody is spoken to.
  return own.note === undefined || own.note.type === "cut" ? own : { ...own, text: `${IDENTITY}\n\n${own.text}` };
}

function contextParts(places: PromptPlaces, { system = "", contextWindow }: PromptAsked): Part[] {
  const { cwd, ownFolders, isTrusted } = places;
  const limit = within(MAX_INSTRUCTIONS, contextWindow);
  const own = firstOf(ownFolders, (folder) => userInstructions(folder, limit));
  return [
    { tier: "context", name: "system", text: system },
    ...(own === undefined ? [] : [own]),
    ...projectInstructions({ cwd, isTrusted, limit }),
  ];
}

function volatileParts({ memoryFolder }: PromptPlaces, { model, started, nowMs, contextWindow }: PromptAsked): Part[] {
  const memories = memoryFolder === undefined ? [] : memoryParts(memoryFolder, within(Infinity, contextWindow));
  const day = started === "" ? dayOf(nowMs) : started;
  return [...memories, { tier: "volatile", name: "session", text: sessionLines(day, model) }];
}

function firstOf<T>(folders: readonly string[], look: (folder: string) => T | undefined): T | undefined {
  for (const folder of folders) {
    const found = look(folder);
    if (found !== undefined) return found;
  }
  return undefined;
}
