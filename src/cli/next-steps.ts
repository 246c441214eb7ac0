import type { ProviderStep } from "../protocol/provider.ts";
import type { NextStep, TurnResult } from "../protocol/result.ts";
import { type Language, wordsIn } from "../words/language.ts";
import { otherProvider } from "../words/providers.ts";
import { shellWord } from "../words/steps.ts";
import type { Flags } from "./flags.ts";

/** Steps whose command starts work in a session again, and so needs the flags it was begun with. */
const RESTARTS: ReadonlySet<string> = new Set(["retry", "continue", "raise-limit", "resume", "allow"]);

/** What was named by flag, and a practice model nobody named, is named again in the commands that go on with the work. */
export function withFlags(result: TurnResult, flags: Flags, env: NodeJS.ProcessEnv): TurnResult {
  const practice = result.provider === "practice" && flags.provider === undefined ? { model: "practice" } : {};
  const more = flagWords({ ...practice, ...flags });
  return withSteps(result, (step) => {
    if (step.command === null) return step;
    const command = RESTARTS.has(step.do) ? `${step.command}${more}` : step.command;
    return { ...step, command: inProfile(command, env) };
  });
}

/** Whoever sits in a conversation just types on: no command is needed to ask again. */
export const inConversation = (result: TurnResult): TurnResult =>
  withSteps(result, (step) => (TYPED_ON.has(step.do) ? { ...step, command: null } : step));

const TYPED_ON: ReadonlySet<string> = new Set(["retry", "continue", "raise-limit"]);

function withSteps(result: TurnResult, change: (step: NextStep) => NextStep): TurnResult {
  const { exit, error } = result;
  return {
    ...result,
    exit: { ...exit, next: exit.next.map(change) },
    error: error === null ? null : { ...error, next: error.next.map(change) },
  };
}

/** Codes after which another provider may well answer: the key was refused, the account has to be paid. */
const OF_THE_PROVIDER: ReadonlySet<number> = new Set([77, 79]);

/** The next candidate is offered where the provider itself was what stopped the turn. */
export function withNextProvider(result: TurnResult, others: readonly string[], language: Language): TurnResult {
  const [other] = others;
  const { exit, error } = result;
  if (other === undefined || !OF_THE_PROVIDER.has(exit.code)) return result;
  const step = { do: "switch-provider", text: otherProvider(other)[language], command: `evander --provider ${other}` };
  const next = [...exit.next, step];
  return { ...result, exit: { ...exit, next }, error: error === null ? null : { ...error, next } };
}

/** A command of ours that stays in the profile that is asked now. */
export function inProfile(command: string, env: NodeJS.ProcessEnv): string {
  const profile = env["EVANDER_PROFILE"] ?? "";
  if (profile === "" || /^evander profile\b| (?:-P|--profile) /u.test(command)) return command;
  return command.replace(/^evander\b/u, `evander --profile ${shellWord(profile)}`);
}

/** Of a turn that nobody keeps: there is no session to go on with, so no step may name one. */
export function withoutRecord(result: TurnResult): TurnResult {
  const { sessionId, exit, error } = result;
  const can = ({ command }: NextStep): boolean =>
    command === null || !(RECORDS.test(command) || (sessionId !== null && command.includes(sessionId)));
  return {
    ...result,
    sessionId: null,
    exit: { ...exit, next: exit.next.filter(can) },
    error: error && { ...error, next: error.next.filter(can) },
  };
}

const RECORDS = /^evander (?:turn|session|approve) /u;

/** The flags that say where the work was done, as a shell reads them; empty, or with a space in front. */
export function flagWords({ model, provider, cwd }: Pick<Flags, "model" | "provider" | "cwd">): string {
  return Object.entries({ model, provider, cwd })
    .flatMap(([name, value]) => (value === undefined ? [] : [` --${name} ${shellWord(value)}`]))
    .join("");
}

/** Is set in the environment of a command that a conversation runs itself. */
export const IN_CHAT = "evander_in_chat";

/** What can be typed in a conversation as well; an editor needs the terminal for itself. */
const TYPED = /^evander (memory (?!edit\b).*)$/su;

/** A command as whoever is told it can run it: a conversation has its own, and a checkout is started through npm. */
export function runnable(shown: string, env: NodeJS.ProcessEnv): string {
  const [, typed] = (env[IN_CHAT] !== undefined && TYPED.exec(shown)) || [];
  if (typed !== undefined) return `/${typed}`;
  const command = inProfile(shown, env);
  if (env["npm_lifecycle_event"] !== "start") return command;
  return command.replace(/^((?:\w+=\S* )*)evander(?: (.*))?$/su, (_all, before: string, args: string | undefined) =>
    args === undefined ? `${before}npm start` : `${before}npm start -- ${args}`,
  );
}

/** A step in the language of whoever reads it. */
export const stepIn = (step: ProviderStep, language: Language): NextStep => ({
  ...step,
  text: wordsIn(step.text, language),
});

/** A step as one line: what it does, and the command that does it. */
export function stepLine({ text, command }: NextStep, env: NodeJS.ProcessEnv): string {
  return command === null ? text : `${text.replace(/[.:。]$/u, "")}: ${runnable(command, env)}`;
}
