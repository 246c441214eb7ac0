import { join } from "node:path";
import type { AgentOptions, Around, PromptMaker } from "../agent/options.ts";
import type { HandsOptions, Installed, Runtime, RuntimeOptions } from "../cli/adapters.ts";
import type { Io } from "../cli/io.ts";
import type { LoadedTools } from "../extend/load-tools.ts";
import type { Sandbox } from "../protocol/sandbox.ts";
import type { SkillShelf } from "../protocol/skill.ts";
import type { Tool } from "../protocol/tool.ts";
import type { ProcessDesk } from "../tools/processes/desk.ts";
import { builtInTools, type BuiltInOptions } from "../tools/built-in.ts";
import { namedSkills } from "../context/skills/refer.ts";
import { automation } from "./automation.ts";
import { keptFiles } from "./checkpoints.ts";
import { egressFor } from "./egress.ts";
import { foundEyes } from "./eyes.ts";
import { homeOf } from "./home.ts";
import { foundSummaries } from "./found-summaries.ts";
import { lastingTools } from "./lasting-tools.ts";
import { outsideParts } from "./outside-tools.ts";
import { ownTools } from "./own-tools.ts";
import { keptKeys, ownerSecrets } from "./owner-secrets.ts";
import type { PictureWork } from "./picture-work.ts";
import { promptMaker, promptPlaces } from "./prompt.ts";
import { type KeptResults, keptResults } from "./results.ts";
import { openDesk, terminalSettings } from "./terminal.ts";
import { sandboxFor } from "./sandbox.ts";
import { skillsOfRun } from "./skills.ts";

type Equipped = HandsOptions & Partial<Pick<RuntimeOptions, "proposed" | "log" | "asked">>;

/** What the sessions of the program are told and given; the tools work in `cwd`. */
export async function equipmentOf(
  options: Equipped,
  io: Io,
  { skillsFolder, docsFolder }: Installed,
): Promise<Equipment> {
  const { cwd, guarded, settings } = options;
  const { home, env } = io;
  const places = promptPlaces(options, io);
  const { shelf, warnings } = await skillsOfRun(options, io, skillsFolder);
  // The guides are of use to whoever is asked about the program itself.
  const results = keptResults(options);
  const skills = places.ownFolders.map((folder) => join(folder, "skills"));
  const readable = [skillsFolder, docsFolder, results.folder, ...skills];
  const reach = { cwd, home, env, guarded, readable, roots: rootsOf(settings) };
  const { summarise, askBy } = foundSummaries();
  const lasting = lastingTools(options, shelf, summarise);
  const terminal = terminalSettings(settings);
  const secrets = ownerSecrets(env, options.folders);
  const secretsLater = (): Promise<readonly string[]> => keptKeys(options.folders);
  const processes = openDesk(terminal, options, async () => [...secrets, ...(await secretsLater())]);
  const { look, seeBy } = foundEyes();
  const egress = egressFor(settings);
  const { chargeTo, ...outside } = outsideParts(options, io, { egress, look });
  const sandbox = sandboxFor(options, io);
  const builtIn = [
    ...builtInTools({
      ...reach,
      terminal,
      processes,
      sandbox,
      outside,
      automation: automation(),
      homeAssistant: homeOf(options, io, egress),
      scriptTimeoutS: settings.scripts.timeout,
    }),
    ...lasting,
  ];
  const own = await ownTools({ settings, folders: options.folders, cwd: io.cwd }, builtIn);
  const told = {
    refer: (text: string) => namedSkills(shelf, text),
    summaries: askBy,
    eyes: seeBy,
    secrets,
    secretsLater,
  };
  return {
    told,
    revoked: warnings,
    prompt: promptMaker(places, shelf),
    shelf,
    builtIn,
    own,
    results,
    processes,
    sandbox,
    chargeTo,
    kept: keptFiles(options, io),
  };
}

export interface Equipment {
  /** What an agent is told of its surroundings. */
  readonly told: Required<Pick<AgentOptions & Around, "refer" | "summaries" | "eyes" | "secrets" | "secretsLater">>;
  readonly shelf: SkillShelf;
  readonly revoked: Runtime["warnings"];
  readonly prompt: PromptMaker;
  readonly builtIn: readonly Tool[];
  readonly own: LoadedTools;
  readonly results: KeptResults;
  /** Absent: nothing is kept. */
  readonly kept: ReturnType<typeof keptFiles>;
  readonly processes: ProcessDesk;
  /** Around all that tools start here. */
  readonly sandbox: Sandbox;
  /** Whose turns pay for the pictures that they make. */
  readonly chargeTo: PictureWork["chargeTo"];
}

const rootsOf = ({ readFolders = [], writeFolders = [] }: Equipped["settings"]): Required<BuiltInOptions>["roots"] => [
  ...writeFolders.map((path) => ({ path, access: "write" }) as const),
  ...readFolders.map((path) => ({ path, access: "read" }) as const),
];
