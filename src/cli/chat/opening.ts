import type { ProviderAnswer, ProviderStep } from "../../protocol/provider.ts";
import type { Store } from "../../protocol/store.ts";
import { providerRefusal } from "../../session/result.ts";
import { CHAT_SAYS, otherProviders } from "../../words/chat.ts";
import { type Language, type Text, wordsIn } from "../../words/language.ts";
import { cameFrom } from "../../words/providers.ts";
import { SETUP_CHOICES, type SetupChoice } from "../../words/setup.ts";
import type { Adapters, Runtime } from "../adapters.ts";
import { type Flags, languageFor } from "../flags.ts";
import { type Io, say } from "../io.ts";
import { askedSession } from "../prompt/asked-session.ts";
import { stepIn, stepLine } from "../next-steps.ts";
import { RefusalError } from "../refusal.ts";
import type { Proposals, Proposed } from "../proposals.ts";
import { findModel, openRuntime, type Place, placeOf } from "../set-up.ts";

export interface Chat {
  readonly flags: Flags;
  readonly io: Io;
  readonly adapters: Adapters;
  /** What its turns have left that waits for a person. */
  readonly proposals: Proposals;
  /** Runs a command line of the program with other edges. */
  readonly program: (argv: readonly string[], io: Io) => Promise<number>;
}

/** All that turns are run with. */
export interface Opened {
  /** The one that the command line names. */
  readonly sessionId?: string | undefined;
  readonly search: ProviderAnswer;
  readonly store: Store;
  readonly runtime: Runtime;
  readonly model: { readonly name: string; readonly provider: string };
  readonly cwd: string;
}

export const isAttended = ({ io }: Pick<Chat, "io">): boolean => io.stdin.isTTY === true;

/** Finds the model and opens the store. Throws RefusalError and StoreError. */
export async function open(chat: Chat): Promise<Opened> {
  const place = await placeOf(chat, isAttended(chat));
  const search = await findModel(chat, place);
  // Whoever named a server wants that one: the practice model is no stand-in for it.
  if (search.type === "none" && search.cause !== "no_provider") throw new RefusalError(providerRefusal(search));
  const opened = await openWith(chat, place, search);
  try {
    return { ...opened, sessionId: await namedSession(chat, opened.store) };
  } catch (error) {
    await opened.runtime.close();
    throw error;
  }
}

function namedSession({ flags, io, adapters }: Chat, store: Store): Promise<string | undefined> {
  const { newSessionId } = adapters;
  const tell = (words: Text): void => say(io.stderr, wordsIn(words, languageFor(flags, io.env)));
  return askedSession(flags, store, { newSessionId, tell });
}

/** The same with a model that was found already. */
export async function openWith(
  chat: Chat,
  place: Place,
  search: ProviderAnswer,
  chosen: boolean = false,
): Promise<Opened> {
  const { cwd, config } = place;
  const { settings } = config;
  const store = await chat.adapters.openStore({ folder: config.store, ...settings });
  const model = search.type === "found" ? search : ({ type: "practice" } as const);
  const attended = isAttended(chat);
  const approvals = settings.approve ?? (attended ? "ask" : "never");
  const { proposals } = chat;
  const tell = { proposed: (it: Proposed) => proposals.add(it), serverTrouble: (it: Text) => proposals.trouble(it) };
  const how = { attended, staysOpen: true, approvals, chosen, ...tell } as const;
  const runtime = await openRuntime(chat, place, { model, store, ...how });
  const named = model.type === "found" ? { name: model.model, provider: model.provider } : PRACTICE;
  return { search, store, runtime, model: named, cwd };
}

const PRACTICE = { name: "practice", provider: "practice" };

interface Reader {
  readonly env: NodeJS.ProcessEnv;
  readonly language: Language;
}

/** What a conversation opens with. */
export function greeting({ search, cwd }: Pick<Opened, "search" | "cwd">, { env, language }: Reader): string[] {
  const leave = CHAT_SAYS.leave[language];
  switch (search.type) {
    case "found":
      return [
        `evander · ${search.provider} · ${search.model} (${cameFrom(search.source)[language]}) · ${cwd}`,
        ...(search.others?.length ? [otherProviders(search.others)[language]] : []),
        leave,
      ];
    case "practice":
      return [`evander · practice model · ${cwd}`, leave];
    case "none":
      return [
        `${wordsIn(search.message, language)} ${CHAT_SAYS.practice[language]}`,
        SETUP_CHOICES.map(({ key, text }) => `${key} ${text[language]}`).join(" · "),
        ...search.next.filter(isLook).map((step) => stepLine(stepIn(step, language), env)),
        leave,
      ];
  }
}

const isLook = (step: ProviderStep): boolean => step.do === "look";

/** What a line chooses where no model was found; undefined for every other line. */
export const chosenSetup = (line: string, search: ProviderAnswer | undefined): SetupChoice | undefined =>
  search?.type === "none" ? SETUP_CHOICES.find(({ key }) => key === line.trim().toLowerCase()) : undefined;

export const chosenLine = ({ chosen, command, do: what }: SetupChoice, { env, language }: Reader): string =>
  stepLine({ do: what, text: chosen[language], command }, env);
