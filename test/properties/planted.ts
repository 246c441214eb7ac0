import { DURABILITY } from "./planted-durability.ts";

/** Bugs to be planted in the sources, one at a time: each must turn a test red. Run by `npm run show -- planted-bugs`. */
export interface PlantedBug {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** The tests that are to find it, where those are not the random turns and the races. */
  readonly tests?: readonly string[];
}

const decide = "src/turn/decide.ts";
const OF_THE_TURN: readonly PlantedBug[] = [
  { name: "a sent receipt is steered", file: decide, find: "seq >= state.sentThrough", replace: "seq >= 0" },
  {
    name: "an approval is never asked",
    file: decide,
    find: "inspection.ask !== undefined &&",
    replace: "false &&",
  },
  { name: "a denial is forgotten", file: decide, find: 'call.approval === "denied" || ', replace: "" },
  {
    name: "a request begins after a stop",
    file: decide,
    find: "if (stop !== undefined) return end(state, stop);",
    replace: "if (stop !== undefined && state.interruptedBy === undefined) return end(state, stop);",
  },
  {
    name: "calls begin after a stop",
    file: decide,
    find: "const stopped = exitOfStop(state) !== undefined;",
    replace: "const stopped = false;",
  },
  { name: "an effect is run again", file: decide, find: 'call.inspection.effect === "effect"', replace: "false" },
  {
    name: "the last word may be a receipt",
    file: decide,
    find: 'last?.role !== "assistant"',
    replace: "last === undefined",
  },
  { name: "tools run in the grace call", file: decide, find: "stopped || state.grace", replace: "stopped" },
  {
    name: "a retry retracts nothing",
    file: decide,
    find: "state.attemptOpen ? state.attempt : state.retract",
    replace: "undefined",
  },
  {
    name: "a reply forgets what came before it was cut",
    file: "src/turn/fold-reply.ts",
    find: "text: text + partial.text,",
    replace: "text: partial.text,",
  },
  {
    name: "what is said a second time is shown a second time",
    file: "src/turn/splice.ts",
    find: "if (said.length < this.#before.length && this.#before.startsWith(said)) return [];",
    replace: "",
  },
  {
    name: "a request does not wait for its commit",
    file: "src/turn/run-turn.ts",
    find: "  await log.barrier();\n  const splice",
    replace: "  const splice",
  },
  {
    name: "an effect does not wait for its commit",
    file: "src/turn/perform-tools.ts",
    find: 'if (effect !== "pure") await log.barrier();',
    replace: "",
  },
  {
    name: "an injection is delivered twice",
    file: "src/turn/apply.ts",
    find: "remove(state.injections, (injection) => injection.injectionId === fact.injectionId);",
    replace:
      "if (state.drained > 0) remove(state.injections, (injection) => injection.injectionId === fact.injectionId);",
  },
  {
    name: "a redirect is heard, and its request goes on",
    file: "src/turn/run-turn.ts",
    find: "if (signal.aborted && !log.signal.aborted) return cancelAttempt(reply, log);",
    replace: "",
  },
  {
    name: "the end of the time is not heard",
    file: decide,
    find: 'if (state.timeUp !== undefined) return "time_limit";',
    replace: "",
  },
  {
    name: "what is shown does not wait for its commit",
    file: "src/session/delta-queue.ts",
    find: "isFact(event) && left-- === 0",
    replace: "left < 0",
  },
  {
    name: "a stop is not kept",
    file: "src/session/lane.ts",
    find: "if (taken) this.stopping.stop();\n    return taken && this.kept();",
    replace: "if (taken) this.stopping.stop();\n    return taken;",
  },
  {
    name: "what comes after the end is accepted",
    file: "src/session/lane.ts",
    find: "if (!this.unfinished) return false;\n    this.record(fact);",
    replace: "this.record(fact);",
  },
  {
    name: "what a session learns is not kept",
    file: "src/store/sqlite/rows.ts",
    find: "draft.learnt = fact.learnt ?? draft.learnt;",
    replace: "",
    tests: ["test/library/learnt.test.ts"],
  },
  {
    name: "a server is held to what another one of its name refused",
    file: "src/turn/adjust.ts",
    find: "isOwn && setup.host !== undefined",
    replace: "false",
    tests: ["test/library/learnt.test.ts"],
  },
  {
    name: "a model switch is not recorded",
    file: "src/session/lane.ts",
    find: 'this.arrive({ type: "model-switched",',
    replace: 'this.follow({ type: "model-switched",',
    tests: ["test/library/switch-model.test.ts"],
  },
  {
    name: "a redirect is not told to the model in the last iteration",
    file: "src/turn/apply.ts",
    find: "if (fact.message.interrupted === true) return applyReply(state, fact);",
    replace: "",
  },
  {
    name: "an injection comes between the halves of a reply",
    file: "src/turn/arrivals.ts",
    find: 'if (state.cut !== undefined && state.cut.text !== "") return undefined;',
    replace: "",
  },
  {
    name: "the inbox of a turn is drained without end",
    file: "src/turn/arrivals.ts",
    find: "state.drained === 0 ? state.drains < MAX_DRAINS : state.drained < MAX_PER_DRAIN",
    replace: "true",
    tests: ["test/library/arrivals.test.ts"],
  },
  {
    name: "a tool speaks in the user's name",
    file: "src/protocol/steer-marker.ts",
    find: 'output.replace(LOOK_ALIKE, "(")',
    replace: "output",
    tests: ["test/library/arrivals.test.ts", "src/model/chat_completions/encode.test.ts"],
  },
  {
    name: "guardrails count nothing",
    file: "src/turn/guardrails.ts",
    find: "counts.newest = key;\n}",
    replace: "counts.failures.clear();\n  counts.toolFailures.clear();\n}",
  },
  {
    name: "a call that a guardrail blocks runs all the same",
    file: decide,
    find: "call.part.callId === state.guard.halt?.callId",
    replace: "false",
    tests: ["test/library/guardrails.test.ts"],
  },
  {
    name: "calls may go round in a circle",
    file: "src/turn/guardrails.ts",
    find: 'if (rounds.newest === "silent") rounds.idle++;',
    replace: "",
    tests: ["test/library/guardrails.test.ts"],
  },
  {
    name: "what a provider signed is shown to others",
    file: "src/model/provenance.ts",
    find: "made.provider === reader.provider &&",
    replace: "",
    tests: ["test/library/signatures.test.ts"],
  },
  {
    name: "sealed reasoning goes to a model that did not make it",
    file: "src/model/codex_responses/assistant-items.ts",
    find: "isAtHome(first.provenance, reader) ? reasoningItem(first) : undefined",
    replace: "reasoningItem(first)",
    tests: ["test/dialects/responses.test.ts"],
  },
  {
    name: "a review reads a turn that still runs",
    file: "src/store/sqlite/reading.ts",
    find: "openTurn?.seq ?? this.lengthOf(Number(id))",
    replace: "this.lengthOf(Number(id))",
    tests: ["test/library/review.test.ts"],
  },
  {
    name: "a call that stands twice in its batch runs twice",
    file: "src/turn/batch.ts",
    find: "if (seen.has(key)) return { ...inspection, skip: TWICE };",
    replace: "",
  },
  {
    name: "a call that waits for a person holds its siblings back",
    file: decide,
    find: "if (ready.length > 0) return { do",
    replace: "if (ready.length === segment.length) return { do",
  },
  {
    name: "a parked turn is taken for one whose process died",
    file: "src/session/lane.ts",
    find: 'this.state.parked ? "turn-unparked" : "turn-resumed"',
    replace: '"turn-resumed"',
  },
  {
    name: "what was too large is sent again as it was",
    file: "src/turn/fold-compaction.ts",
    find: "  state.compaction = compaction;",
    replace: "",
  },
  {
    name: "a compaction leaves a result without its call",
    file: "src/context/compaction/rules.ts",
    find: "at <= instruction ? beginsTurn(message) : isBatch(message)",
    replace: 'at <= instruction ? beginsTurn(message) : message?.role === "tool"',
    tests: ["test/properties/turn.test.ts", "src/context/compaction/rules.test.ts"],
  },
];

export const PLANTED: readonly PlantedBug[] = [...OF_THE_TURN, ...DURABILITY];

/** What finds those that name no tests. */
export const PROPERTIES: readonly string[] = ["test/properties/turn.test.ts", "test/properties/races.test.ts"];

/** All of them, for people (docs/planted-faults.md). */
export function plantedPage(): string {
  const lines = PLANTED.map(
    ({ name, file, tests = PROPERTIES }) =>
      `- ${name} — \`${file}\`, found by ${tests.map((it) => `\`${it}\``).join(", ")}`,
  );
  return [
    "# Planted faults",
    "",
    "Tests that are green say something only where they would be red. Each of these faults is planted in a copy of the sources,",
    "one at a time, by `npm run show -- planted-bugs`: the tests beside it must then fail. What is planted and where stands in",
    "`test/properties/planted.ts` and `planted-durability.ts`; a test holds this page to them, and to the sources. Faults of ports",
    "(a request or an effect that does not wait for its commit, a call that nobody was asked about, a stop that is heard and not",
    "written down) are planted in every run of `test/properties/planted-bugs.test.ts`, and ways to break a store in every run of",
    "`src/session/oracle/oracle.test.ts`.",
    "",
    `There are ${PLANTED.length}:`,
    "",
    ...lines,
    "",
  ].join("\n");
}
