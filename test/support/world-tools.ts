import type { Fact } from "../../src/protocol/fact.ts";
import type { Tool, ToolContext } from "../../src/protocol/tool.ts";
import { isDead, type Process } from "./process.ts";
import type { World } from "./world.ts";

/** What a script may call: `missing` does not exist, `SEND` is send, and `again` repeats the call before it. */
export const TOOL_NAMES = [
  "read",
  "slow",
  "write",
  "send",
  "SEND",
  "edit",
  "start",
  "bad",
  "guarded",
  "ask",
  "stuck",
  "todo",
  "missing",
  "again",
] as const;

/** Tools of which a second run would be seen by the world outside. */
export const WITH_EFFECT: ReadonlySet<string> = new Set(["write", "send", "edit", "start", "guarded"]);

type Kind = Pick<Tool, "name" | "effect" | "concurrency"> & Partial<Tool>;

/** Tools of every kind; each notes that it ran, and complains when it ran too early. A dead process runs none. */
export function worldTools(world: World, process: Process): Tool[] {
  const tool = (kind: Kind, run: (context: ToolContext) => Promise<string> | string): Tool => ({
    description: kind.name,
    parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    ...kind,
    run: (input, context) => {
      if (isDead(process)) return new Promise(() => {});
      const id = String(input["id"]);
      note(world, process, { name: kind.name, id });
      return run(context);
    },
  });
  const shared = { concurrency: "shared" } as const;
  const guarded = { ...shared, name: "guarded", effect: "effect", ask: () => "it is guarded" } as const;
  /** Whoever asks what became of a start looks at the world, and starts nothing. */
  const resume = (input: Readonly<Record<string, unknown>>): Promise<string> | string => {
    if (isDead(process)) return new Promise(() => {});
    const id = String(input["id"]);
    checkBegin(world, "start", id);
    world.asked.push(id);
    if (world.ran.includes(`start ${id}`)) return "started before";
    throw new Error("Not started: it had not begun.");
  };
  const inTheWay = { reads: [], writes: ["/folder"], mode: "paths" } as const;
  return [
    tool({ ...shared, name: "read", effect: "pure" }, () => "read"),
    tool({ ...shared, name: "slow", effect: "idempotent" }, () => later("slow")),
    tool({ name: "write", effect: "effect", concurrency: "exclusive" }, () => later("written")),
    tool({ ...shared, name: "send", effect: "effect" }, () => "sent"),
    tool({ name: "edit", effect: "effect", concurrency: "paths", claim: () => inTheWay }, () => later("edited")),
    tool({ name: "start", effect: "resumable", concurrency: "exclusive", resume }, () => later("started")),
    tool({ ...shared, name: "todo", effect: "pure" }, () => "noted"),
    tool({ ...shared, name: "bad", effect: "pure" }, () => Promise.reject(new Error("boom"))),
    tool(guarded, () => "done"),
    tool({ name: "ask", effect: "pure", concurrency: "exclusive", question: () => QUESTION }, ({ answer }) =>
      answer === undefined ? "nobody was there" : heardAs(answer),
    ),
    tool({ ...shared, name: "stuck", effect: "pure" }, () => {
      // Nothing but a person can end this one, and it does not listen even then.
      const words = `interrupt-stuck${world.ran.length}`;
      queueMicrotask(() => world.say("interrupt", words));
      return new Promise(() => {});
    }),
  ];
}

const QUESTION = { text: "what is it?", choices: [] };

/** What the receipt of a question says of its answer. */
export const heardAs = (answer: string): string => `they said: ${answer}`;

const later = (text: string): Promise<string> =>
  new Promise((resolve) => setImmediate(() => setImmediate(resolve, text)));

function note(world: World, process: Process, { name, id }: { readonly name: string; readonly id: string }): void {
  world.ran.push(`${name} ${id}`);
  const facts = checkBegin(world, name, id);
  if (name !== "guarded" || process.policy === "all") return;
  const allowed = facts.some((fact) => fact.type === "approval-decided" && fact.callId === id && fact.allow);
  if (!allowed) world.breaches.push(`${name} ${id} ran and nobody had allowed it`);
}

/** The facts of the turn in which a call begins. */
function checkBegin(world: World, name: string, id: string): readonly Fact[] {
  const all = world.facts();
  const facts = all.slice(all.findLastIndex((fact) => fact.type === "turn-start"));
  const started = facts.some((fact) => fact.type === "segment-start" && fact.callIds.includes(id));
  if (WITH_EFFECT.has(name) && !started) world.breaches.push(`${name} ${id} ran before its start was durable`);
  if (facts.some((fact) => fact.type === "interrupt-requested")) world.breaches.push(`${name} ${id} ran after a stop`);
  return facts;
}
