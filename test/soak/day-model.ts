import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { dice } from "../support/dice.ts";
import { type ChatBody, inspectRequest } from "../support/protocol-police.ts";
import { broken, refuse, reply, say, type ScriptedCall, type Step } from "../support/wire-script.ts";

/** Of the requests, so many go wrong (security R15). */
const FAULTS = 0.02;
/** And so many are refused because their key is used up for now. */
const LIMITED = 0.004;

/** One turn of a user, as its message says it: `#SEED:CALLS …`. */
const ASKED = /#(\d+):(\d+)/gu;

export const askedFor = (seed: number, calls: number): string => `#${seed}:${calls} please look after that`;

const WORDS = "the quick brown fox of a long day looks at each thing once and says what it has seen of it ";

/**
 * A model over HTTP that keeps nothing of what it was asked: what it says follows from the request alone and from how
 * often it was asked in this turn. Each request is checked against the protocol.
 */
export class DayModel {
  requests = 0;
  readonly faults: Record<string, number> = {};
  readonly violations: string[] = [];
  private readonly server: Server;
  private awaited: { readonly at: number; readonly resolve: () => void } | undefined;
  /** How often each turn that goes on was asked for. */
  private readonly asked = new Map<string, number>();
  /** Tools beside its own that it calls. */
  private readonly more: readonly string[];

  constructor(more: readonly string[]) {
    this.more = more;
    this.server = createServer((request, response) => {
      this.answer(request, response).catch((error: unknown) => {
        if (!response.destroyed) this.violations.push(String(error));
        response.destroy();
      });
    });
  }

  async listen(): Promise<string> {
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** Resolves when so many more requests have come. */
  received(count: number): Promise<void> {
    return new Promise((resolve) => (this.awaited = { at: this.requests + count, resolve }));
  }

  /** How many connections are open. */
  connections(): Promise<number> {
    return new Promise((resolve) => this.server.getConnections((_error, count) => resolve(count)));
  }

  /** Nobody waits for an answer any more. */
  rest(): void {
    this.asked.clear();
    this.server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, "close");
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = Buffer.concat(await request.toArray());
    const { body, violations } = inspectRequest(bytes);
    this.violations.push(...violations);
    this.requests += 1;
    if (this.requests === this.awaited?.at) this.awaited.resolve();
    await play(this.step(body, bytes.length), response);
  }

  private step(body: ChatBody, bytes: number): Step {
    const usage = {
      prompt_tokens: Math.ceil(bytes / 3),
      completion_tokens: 20,
      total_tokens: Math.ceil(bytes / 3) + 20,
    };
    if ((body.tools ?? []).length === 0) return reply({ text: WORDS, usage });
    const [seed, calls] = newestIn(body);
    const nth = this.asked.get(seed) ?? 0;
    this.asked.set(seed, nth + 1);
    const roll = dice(Number(seed) * 1_009 + nth);
    const fault = roll() < FAULTS ? FAULT_KINDS[Math.floor(roll() * FAULT_KINDS.length)] : undefined;
    if (fault !== undefined) return this.fault(fault);
    if (roll() < LIMITED) return this.fault("key limited");
    if (roundsIn(body) >= Number(calls)) return reply({ text: WORDS.repeat(1 + Math.floor(roll() * 3)), usage });
    return reply({ text: roll() < 0.3 ? "Let me see." : "", calls: this.calls(roll, `${seed}-${nth}`), usage });
  }

  private calls(roll: () => number, id: string): ScriptedCall[] {
    const names = ["look", "look", "write", "long", ...this.more];
    return Array.from({ length: 1 + Math.floor(roll() * 3) }, (_, at) => ({
      id: `c${id}-${at}`,
      name: names[Math.floor(roll() * names.length)] ?? "look",
      arguments: { text: `${id} ${at}` },
    }));
  }

  private fault(kind: FaultKind | "key limited"): Step {
    this.faults[kind] = (this.faults[kind] ?? 0) + 1;
    switch (kind) {
      case "limited":
        return refuse(429, { error: { message: "Slow down.", type: "rate_limit_error" } }, { "retry-after": "1" });
      case "key limited":
        return refuse(429, { error: { message: "You exceeded your current quota.", code: "insufficient_quota" } });
      case "overloaded":
        return refuse(503, { error: { message: "Overloaded." } });
      case "reset":
        return broken({ text: WORDS.split(" ") }, 4, "reset");
      case "cut":
        return broken({ text: WORDS.split(" ") }, 6, "cut");
      case "empty":
        return say("");
    }
  }
}

const FAULT_KINDS = ["limited", "overloaded", "reset", "cut", "empty"] as const;
type FaultKind = (typeof FAULT_KINDS)[number];

function newestIn(body: ChatBody): readonly [seed: string, calls: string] {
  for (const { role, content } of body.messages.toReversed()) {
    if (role !== "user") continue;
    const found = [...(JSON.stringify(content) ?? "").matchAll(ASKED)].at(-1);
    if (found !== undefined) return [found[1] ?? "", found[2] ?? ""];
  }
  return ["0", "0"];
}

/** Replies with calls behind the message of the turn. */
function roundsIn({ messages }: ChatBody): number {
  const from = messages.findLastIndex(
    ({ role, content }) => role === "user" && /#\d+:\d+/u.test(JSON.stringify(content)),
  );
  return messages.slice(from + 1).filter(({ tool_calls }) => tool_calls !== undefined).length;
}

async function play({ status = 200, headers, frames, end }: Step, response: ServerResponse): Promise<void> {
  response.writeHead(status, { "content-type": "text/event-stream", ...headers });
  const body = frames.map(String).join("");
  if (end === undefined) {
    response.end(body);
    return;
  }
  await new Promise<void>((resolve) => response.write(body, () => resolve()));
  if (end === "reset") response.socket?.resetAndDestroy();
  else response.socket?.destroySoon();
}
