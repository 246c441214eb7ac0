import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { Place, resultOf } from "../scenario/program.ts";
import { EndlessProvider } from "../support/endless-provider.ts";
import { callTools, say } from "../support/wire-script.ts";
import { type Boundary, boundariesIn, CHANGING, COUNTABLE, killedAt, recorded } from "./strace.ts";

export const GO: readonly string[] = ["-p", "go", "--approve", "all", "--output", "json"];
export const RESUME: readonly string[] = [
  "session",
  "resume",
  "last",
  "--continue",
  "--approve",
  "all",
  "--output",
  "json",
];
const EFFECT = [{ id: "e1", name: "terminal", arguments: { command: "echo ran >> effects.log" } }];

/** A model that goes by what it reads: a tool with an effect, then an answer. */
export const effectThenAnswer = (): EndlessProvider =>
  new EndlessProvider(({ body }) =>
    body.messages.at(-1)?.role === "user" ? callTools(EFFECT) : say(["all", " done"]),
  );

/** One turn with an effect and its receipt, in a folder that has no store yet: all the calls by which it changes anything. */
export async function boundariesOfTurn(): Promise<Boundary[]> {
  const [place, provider] = [new Place(), effectThenAnswer()];
  try {
    await provider.server.listen();
    const trace = join(place.folder, "trace");
    const under = recorded(trace, CHANGING);
    const ended = await place.run(provider.server.baseUrl, GO, { under, env: COUNTABLE });
    assert.equal(resultOf(ended).answer, "all done", ended.stderr);
    return boundariesIn(readFileSync(trace, "utf8"));
  } finally {
    await provider.close();
    place.remove();
  }
}

export interface Death {
  /** False: this life had fewer of those calls, and ended well. */
  readonly died: boolean;
  /** What was left of the turn. */
  readonly left: "nothing" | "open turn" | "whole turn";
  readonly breaches: readonly string[];
}

/** The program dies behind this call; a new process goes on with what it left. */
export async function dieAt(boundary: Boundary, check: (path: string) => readonly string[]): Promise<Death> {
  const [place, provider] = [new Place(), effectThenAnswer()];
  try {
    await provider.server.listen();
    const { baseUrl } = provider.server;
    const first = await place.run(baseUrl, GO, { under: killedAt(boundary), env: COUNTABLE });
    const seen: Seen = { asked: provider.requests.length > 0, told: first.stdout !== "" };
    const path = join(place.home, "evander.db");
    const left = leftIn(place);
    const resumed = await place.run(baseUrl, RESUME);
    const breaches = [...breachesOf(place, seen), ...provider.violations(), ...check(path)];
    const { exit } = resultOf(resumed);
    if (exit.code !== (left === "open turn" ? 0 : 2)) breaches.push(`${left}: went on with ${exit.reason}`);
    return { died: first.signal === "SIGKILL", left, breaches };
  } finally {
    await provider.close();
    place.remove();
  }
}

/** What others knew of the turn when the process died. */
interface Seen {
  readonly asked: boolean;
  readonly told: boolean;
}

/** Read from a copy: whoever goes on with it finds it as it was left. */
function leftIn(place: Place): Death["left"] {
  const copy = new Place(place);
  const store = openSqliteStore({ path: join(copy.home, "evander.db") });
  const facts = store.turn("last")?.facts ?? [];
  store.close();
  copy.remove();
  if (facts.length === 0) return "nothing";
  return facts.at(-1)?.fact.type === "turn-end" ? "whole turn" : "open turn";
}

function breachesOf(place: Place, { asked, told }: Seen): string[] {
  const store = openSqliteStore({ path: join(place.home, "evander.db") });
  const sessions = store.list();
  const messages = sessions.flatMap(({ sessionId }) => store.history(sessionId) ?? []);
  const facts = store.turn("last")?.facts.map(({ fact }) => fact.type) ?? [];
  store.close();
  const users = messages.filter((it) => it?.role === "user").length;
  const effects = effectsIn(place);
  const wrong = {
    [`the user's message is there ${users} times`]: users > 1 || (asked && users !== 1),
    "the turn has not ended": users > 0 && facts.at(-1) !== "turn-end",
    "a turn was told that is not there": told && facts.length === 0,
    [`the effect was done ${effects} times`]: effects > 1,
    "an effect that the journal does not know": effects > 0 && !facts.includes("segment-start"),
  };
  return Object.entries(wrong).flatMap(([what, is]) => (is ? [what] : []));
}

function effectsIn(place: Place): number {
  try {
    return readFileSync(join(place.work, "effects.log"), "utf8").split("\n").length - 1;
  } catch {
    return 0;
  }
}

/** As many as asked for, at even distances; all where that is more. */
export const evenSample = <T>(all: readonly T[], most: number): readonly T[] =>
  all.length <= most ? all : Array.from({ length: most }, (_, at) => all[Math.floor((at * all.length) / most)] as T);
