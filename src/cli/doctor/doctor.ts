import { inBoth } from "../../protocol/sentence.ts";
import type { Config } from "../../config/config.ts";
import type { ProviderRow } from "../../protocol/provider.ts";
import type { StoreCheck } from "../../protocol/store.ts";
import type { CheckpointCheck } from "../../protocol/turn-files.ts";
import { printable } from "../../session/plain-text.ts";
import { DOCTOR } from "../../words/doctor.ts";
import type { Adapters } from "../adapters.ts";
import { lookHere } from "../config/look.ts";
import { troubleText } from "../config/trouble.ts";
import type { Asked } from "../context.ts";
import { RefusalError } from "../refusal.ts";
import { say, sayJson } from "../io.ts";
import { runnable } from "../next-steps.ts";
import { checkChain } from "./chain.ts";
import type { DoctorForm } from "./commands.ts";
import { broken, type Finding, ok, warning } from "./finding.ts";
import { checkInvariants } from "./invariants.ts";
import { checkDisk, checkFolders, checkRuntime, checkTerminal } from "./machine.ts";
import { checkNotes, checkSkills } from "./lasting.ts";
import { checkSandbox } from "./sandbox.ts";
import { checkSearch } from "./search.ts";
import { rowsFor } from "./providers.ts";

type Request = Asked & Pick<DoctorForm, "fix" | "dryRun" | "ask" | "check">;

/** `evander doctor`: 0, or 1 when something is broken. What is optional and missing breaks nothing. */
export async function runDoctor(adapters: Adapters, request: Request): Promise<number> {
  const { fix = false, dryRun = false } = request;
  const found = await examine(adapters, request);
  const reports = found.map((finding) => (fix ? mended(finding, dryRun) : { finding, done: undefined }));
  print(reports, request);
  return reports.some(({ finding }) => finding.state === "broken") ? 1 : 0;
}

async function examine(adapters: Adapters, request: Request): Promise<Finding[]> {
  const { io, ask = false, check = false } = request;
  const config = await lookHere(io);
  const [providers, chain, store, files, notes, skills, sandbox] = await Promise.all([
    rowsFor(adapters, { io, ask, config }).then((rows) => checkProviders(rows, ask), checkRefusal),
    checkChain(adapters, config, io),
    adapters.checkStore(config.store),
    adapters.checkTurnFiles(config.store),
    checkNotes(adapters, config.folders),
    checkSkills(adapters, config, io.cwd),
    checkSandbox(adapters, config),
  ]);
  const invariants = check ? await checkInvariants(adapters, config.store, request) : [];
  return [
    checkRuntime(process.version),
    ...checkFolders(config.folders, io.platform),
    checkDisk(config.folders.data),
    ...checkConfig(config),
    checkJournal(store),
    ...invariants,
    ...checkFiles(files),
    ...notes,
    ...skills,
    ...providers,
    ...chain,
    sandbox,
    ...checkSearch(config, io.env),
    checkTerminal(io),
  ];
}

function checkConfig({ troubles, files, entries }: Config): Finding[] {
  const read = files.filter(({ layer }) => [...entries.values()].some((entry) => entry.layer === layer)).length;
  if (troubles.length === 0) return [ok("config", DOCTOR.config(read))];
  return troubles.map((trouble) => {
    const make = trouble.severity === "error" ? broken : warning;
    const id = trouble.key === undefined ? "config" : `config.${trouble.key}`;
    return make(id, troubleText(trouble), trouble.fix?.command ?? "evander config check");
  });
}

function checkJournal(store: StoreCheck): Finding {
  switch (store.type) {
    case "absent":
      return ok("journal", DOCTOR.noJournal);
    case "sound":
      return ok("journal", DOCTOR.journal(store));
    case "faulty": {
      // Somebody else's work in progress is no damage.
      const make = store.fault === "locked" || store.fault === "busy" ? warning : broken;
      const command = store.fault === "corrupt" ? "evander store recover" : "evander where";
      return make("journal", DOCTOR.trouble(store.message), command);
    }
  }
}

/** Where nothing was changed yet there is nothing to say. */
function checkFiles(files: CheckpointCheck): Finding[] {
  switch (files.type) {
    case "absent":
      return [];
    case "sound":
      return [ok("checkpoints", DOCTOR.checkpoints(files))];
    case "faulty":
      return [broken("checkpoints", DOCTOR.trouble(files.message), "evander where")];
  }
}

/** Where nobody could be looked for, that is what was found; whatever else went wrong is a defect. */
function checkRefusal(error: unknown): Finding[] {
  if (!(error instanceof RefusalError)) throw error;
  const { message, steps = [] } = error.refusal;
  const text = inBoth(message);
  return [broken("providers", text, steps[0]?.command ?? null)];
}

/** A provider that was asked and refused is broken; one that merely cannot be used is a warning. */
function checkProviders(rows: readonly ProviderRow[], asked: boolean): Finding[] {
  const chosen = rows.find((row) => row.chosen);
  const first =
    chosen === undefined
      ? warning("providers", DOCTOR.noProvider, "evander doctor providers")
      : ok("providers", DOCTOR.provider(chosen.name, chosen.source, chosen.tokens));
  const faults = rows.flatMap((row) => {
    if (row.state !== "unusable" || row.problem === null) return [];
    const make = asked && row.baseUrl !== null ? broken : warning;
    const text = DOCTOR.providerTrouble(row.name, row.problem);
    return [make(`providers.${row.provider}`, text, row.next[0]?.command ?? null)];
  });
  return chosen?.state === "unusable" ? faults : [first, ...faults];
}

interface Report {
  readonly finding: Finding;
  /** What was or would be done; undefined: nothing. */
  readonly done: { readonly command: string; readonly undo: string; readonly dry: boolean } | undefined;
}

function mended(finding: Finding, dry: boolean): Report {
  const { mend, ...rest } = finding;
  if (mend === undefined) return { finding, done: undefined };
  const done = { command: mend.command, undo: mend.undo, dry };
  if (dry) return { finding, done };
  try {
    mend.run();
    return { finding: { ...rest, state: "ok", command: null }, done };
  } catch {
    return { finding, done: undefined };
  }
}

function print(reports: readonly Report[], { io, json, language }: Request): void {
  const findings = reports.map(({ finding: { id, state, text, command }, done }) => ({
    id,
    state,
    message: text[language],
    command,
    fixed: done ?? null,
  }));
  const count = (state: Finding["state"]): number => findings.filter((each) => each.state === state).length;
  if (json) return sayJson(io, { ok: count("broken") === 0, findings });
  const line = (text: string): void => say(io.stdout, printable(text));
  for (const { id, state, message, command, fixed } of findings) {
    line(`${DOCTOR.state[state][language].padEnd(8)} ${id.padEnd(16)} ${message}`);
    if (fixed !== null) {
      const word = (fixed.dry ? DOCTOR.wouldFix : DOCTOR.fixed)[language];
      line(`         ${word}: ${fixed.command}  (${DOCTOR.undo[language]}: ${fixed.undo})`);
    } else if (command !== null) line(`         ${DOCTOR.next[language]}: ${runnable(command, io.env)}`);
  }
  line(DOCTOR.verdict(count("broken"), count("warning"))[language]);
}
