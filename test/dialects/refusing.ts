import { agent, type Agent, type AgentOptions } from "../../src/index.ts";
import type { Fact } from "../../src/protocol/fact.ts";
import { tool } from "../support/agent-in-folder.ts";
import { type Mode, type RawAct, raw } from "./script.ts";
import { sideOf } from "./subjects.ts";
import type { DialectServer } from "./wire.ts";

/** The head of the request is another one: what was sent before is left out. */
export const NEW: { readonly newHead: true } = { newHead: true };

const ls = tool("ls", () => "a.txt");

/** An agent that speaks to a server of one dialect, and waits for nothing long. */
export const bot = (mode: Mode, { origin }: DialectServer, more: Partial<AgentOptions> = {}): Agent => {
  const { wire, model } = sideOf(mode);
  const place = { model, api: mode, provider: "there", baseUrl: `${origin}${wire.base}`, apiKey: "key" };
  return agent({ ...place, tools: [ls], retry: { baseMs: 1, maxMs: 1 }, ...more });
};

export const refusal = (status: number, body: unknown): RawAct =>
  raw({
    status,
    headers: { "content-type": "application/json" },
    frames: [typeof body === "string" ? body : JSON.stringify(body)],
  });

export const factsOf = (of: Agent): readonly Fact[] => of.store.turn("last")?.facts.map(({ fact }) => fact) ?? [];

/** What the newest turn did because of failures, beside asking again. */
export const repairsOf = (of: Agent): readonly unknown[] =>
  factsOf(of).flatMap((fact): unknown[] => {
    if (fact.type === "request-adjusted") return [fact.adjustment];
    return fact.type === "retry-scheduled" || fact.type === "history-compacted" ? [fact.type] : [];
  });

/** Whether a request brings back what is signed or encrypted. */
const SEAL = /"type":"thinking"|"reasoningContent"|"thoughtSignature"|"encrypted_content":"/;
export const sealsSent = ({ requests }: DialectServer): boolean[] => requests.map(({ text }) => SEAL.test(text));
