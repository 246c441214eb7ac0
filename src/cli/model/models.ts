import { modelAsked } from "../../config/model-asked.ts";
import type { ModelNote, ProviderRow } from "../../protocol/provider.ts";
import { printable } from "../../session/plain-text.ts";
import { providerRefusal } from "../../session/result.ts";
import { wordsIn } from "../../words/language.ts";
import { PROVIDERS } from "../../words/providers.ts";
import type { Adapters } from "../adapters.ts";
import { setSetting } from "../config/change.ts";
import { lookHere } from "../config/look.ts";
import type { Asked } from "../context.ts";
import { modelLine, rowIn, rowLines } from "../doctor/providers.ts";
import { say, sayJson } from "../io.ts";
import { RefusalError } from "../refusal.ts";
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
  if (json) return sayJson(io, models);
  for (const model of models) say(io.stdout, printable(`${model.provider.padEnd(14)} ${modelLine(model, language)}`));
  for (const { name, problem } of shown)
    if (problem !== null) say(io.stderr, printable(`${name}: ${wordsIn(problem, language)}`));
}

/** `evander model test`: what the model answers to; one that cannot be asked ends as a run would. */
export async function testModel(adapters: Adapters, model: string | undefined, request: Request): Promise<void> {
  const { io, json, language, provider } = request;
  const here = modelAsked(await lookHere(io), io, io.cwd);
  const asked = { ...here, ...(model !== undefined && { model }), ...(provider !== undefined && { provider }) };
  const rows = await adapters.surveyProviders({ ...asked, ask: "chosen" });
  const row = rows.find((each) => each.chosen);
  if (row?.state !== "ready") throw new RefusalError(providerRefusal(troubleOf(row)));
  if (json) return sayJson(io, rowIn(row, language));
  for (const line of rowLines(row, request)) say(io.stdout, printable(line));
}

const troubleOf = (row: ProviderRow | undefined): Parameters<typeof providerRefusal>[0] => ({
  type: "none",
  cause: row === undefined ? "no_provider" : (row.trouble ?? "unsupported_provider"),
  message: row?.problem ?? PROVIDERS.none,
  next: row?.next ?? [{ do: "look", text: PROVIDERS.look, command: "evander doctor providers" }],
});

/** `evander model use`: from the next run on. */
export async function useModel(model: string, request: Request): Promise<void> {
  await setSetting("model", model, request);
}
