import { exitCode } from "../../protocol/exit.ts";
import type { ModelNote, ProviderRow } from "../../protocol/provider.ts";
import { printable } from "../../session/plain-text.ts";
import { wordsIn } from "../../words/language.ts";
import { PROVIDERS } from "../../words/providers.ts";
import type { Adapters } from "../adapters.ts";
import { setSetting } from "../config/change.ts";
import { lookHere } from "../config/look.ts";
import type { Asked } from "../context.ts";
import { modelLine, rowIn, rowLines } from "../doctor/providers.ts";
import { say } from "../io.ts";
import { providerRefusal } from "../refusal.ts";
import { modelAsked } from "../set-up.ts";
import type { ModelForm } from "./commands.ts";

type Request = Asked & Pick<ModelForm, "provider" | "dryRun">;

interface Listed extends ModelNote {
  readonly provider: string;
  readonly source: string;
}

/** `evander model list`: one model a line, behind its provider. */
export async function listAll(adapters: Adapters, { io, json, language, provider }: Request): Promise<void> {
  const rows = await adapters.surveyProviders({ ...modelAsked(await lookHere(io), io, io.cwd), ask: "lists" });
  const shown = rows.filter((row) => provider === undefined || row.provider === provider);
  const models: Listed[] = shown.flatMap((row) =>
    row.state === "ready" ? row.models.map((model) => ({ provider: row.provider, source: row.source, ...model })) : [],
  );
  if (json) return say(io.stdout, JSON.stringify(models));
  for (const model of models) say(io.stdout, printable(`${model.provider.padEnd(14)} ${modelLine(model, language)}`));
  for (const { name, problem } of shown)
    if (problem !== null) say(io.stderr, printable(`${name}: ${wordsIn(problem, language)}`));
}

/** `evander model test`: 0 when the model answers, else the code that a run would end with. */
export async function testModel(adapters: Adapters, model: string | undefined, request: Request): Promise<number> {
  const { io, json, language, provider } = request;
  const here = modelAsked(await lookHere(io), io, io.cwd);
  const asked = { ...here, ...(model !== undefined && { model }), ...(provider !== undefined && { provider }) };
  const rows = await adapters.surveyProviders({ ...asked, ask: "chosen" });
  const row = rows.find((each) => each.chosen);
  if (json) say(io.stdout, JSON.stringify(row === undefined ? null : rowIn(row, language)));
  else if (row === undefined) say(io.stderr, PROVIDERS.none[language]);
  else for (const line of rowLines(row, request)) say(io.stdout, printable(line));
  return codeOf(row);
}

/** The code that a run would end with. */
function codeOf(row: ProviderRow | undefined): number {
  if (row?.state === "ready") return 0;
  const { reason, failure } = providerRefusal({
    type: "none",
    cause: row?.trouble ?? "no_provider",
    message: row?.problem ?? "",
    next: [],
  });
  return exitCode(reason, failure === undefined ? {} : { failure: { reason: failure } });
}

/** `evander model use`: from the next run on. */
export async function useModel(model: string, request: Request): Promise<void> {
  await setSetting("model", model, request);
}
