import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Sandbox } from "../protocol/sandbox.ts";
import type { Tool } from "../protocol/tool.ts";
import type { Place, Root } from "./paths.ts";
import { cronTool, type CronOptions } from "./automation/cron.ts";
import { messageTool, type MessageOptions } from "./automation/message.ts";
import { type HomeOptions, homeTools } from "./home/home.ts";
import { clarifyTool } from "./clarify.ts";
import { delegateTaskTool } from "./delegate-task.ts";
import { todoTool } from "./todo.ts";
import { patchTool } from "./files/patch/patch.ts";
import { readFileTool } from "./files/read-file.ts";
import { searchFilesTool } from "./files/search-files.ts";
import type { ProcessDesk } from "./processes/desk.ts";
import { processTool } from "./processes/process-tool.ts";
import type { TerminalSettings } from "./terminal/settings.ts";
import { executeCodeTool } from "./scripts/execute-code.ts";
import { terminalTool } from "./terminal/terminal.ts";
import { imageTool, type ImageParts } from "./pictures/image-generate.ts";
import { type Look, visionTool } from "./pictures/vision-analyze.ts";
import { webExtractTool, type WebExtractParts } from "./web/web-extract.ts";
import { webSearchTool, type WebSearchParts } from "./web/web-search.ts";
import { writeFileTool } from "./files/write-file.ts";

/** What the tools for the web and for pictures work with. */
export interface OutsideParts extends Pick<WebExtractParts, "egress" | "off"> {
  readonly search: Omit<WebSearchParts, "egress">;
  readonly look: Look;
  readonly pictures: Pick<ImageParts, "maker" | "account" | "off">;
}

export interface BuiltInOptions {
  /** The working folder: what is inside needs no question to be read. */
  readonly cwd: string;
  readonly home: string;
  /** Our own environment; commands get an allowed part of it. */
  readonly env: NodeJS.ProcessEnv;
  /** Out of reach of every tool, such as the folder of the program's own state. */
  readonly guarded?: readonly string[];
  /** Read without a question wherever they lie, unless a name there says that it holds secrets. */
  readonly readable?: readonly string[];
  /** What the owner listed beside the working folder; `~/` stands for the home folder. */
  readonly roots?: readonly Root[];
  readonly terminal?: TerminalSettings;
  /** Stands around what runs; absent: nothing does. */
  readonly sandbox?: Sandbox | undefined;
  /** How long a script may run that says nothing of it, seconds; absent: as usual. */
  readonly scriptTimeoutS?: number | undefined;
  /** Absent: nothing runs in the background. */
  readonly processes?: ProcessDesk;
  /** What a gateway does for its chats. */
  readonly automation?: CronOptions & Omit<MessageOptions, "place">;
  readonly homeAssistant?: Omit<HomeOptions, "folder">;
  /** Absent: there are no tools for the web and for pictures. */
  readonly outside?: OutsideParts;
}

/** The tools of row E9 that exist. Throws when the working folder does not. */
export function builtInTools(options: BuiltInOptions): Tool[] {
  const { env, terminal, processes, automation, homeAssistant } = options;
  const place: Place = {
    cwd: realpathSync.native(options.cwd),
    home: existing(options.home),
    guarded: (options.guarded ?? []).map(existing),
    readable: (options.readable ?? []).map(existing),
    roots: (options.roots ?? []).map(({ path, access }) => ({ path: existing(atHome(path, options)), access })),
  };
  return [
    readFileTool(place),
    searchFilesTool(place, { programs: env["PATH"] ?? "" }),
    writeFileTool(place),
    patchTool(place),
    terminalTool({
      place,
      own: env,
      desk: processes,
      sandbox: options.sandbox,
      ...(terminal && { settings: terminal }),
    }),
    ...(processes === undefined ? [] : [processTool(processes)]),
    todoTool,
    executeCodeTool({
      place,
      own: env,
      settings: terminal,
      timeoutS: options.scriptTimeoutS,
      sandbox: options.sandbox,
    }),
    ...(automation === undefined ? [] : [cronTool(automation), messageTool({ ...automation, place })]),
    ...(homeAssistant === undefined ? [] : homeTools({ ...homeAssistant, folder: place.cwd })),
    clarifyTool,
    delegateTaskTool,
    ...(options.outside === undefined ? [] : outsideTools(place, options.outside)),
  ];
}

const outsideTools = (place: Place, { egress, off, search, look, pictures }: OutsideParts): Tool[] => [
  webSearchTool({ egress, ...search }),
  webExtractTool({ egress, off }),
  visionTool({ place, egress, off, look }),
  imageTool({ place, egress, ...pictures }),
];

const atHome = (path: string, { home, cwd }: BuiltInOptions): string =>
  path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : resolve(cwd, path);

/** Resolved, where there is something to resolve. */
function existing(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
