import { askApprovals, callLines } from "../../../src/cli/screen/approvals.ts";
import type { Lane } from "../../../src/session/lane.ts";
import { ApprovalDesk } from "../../support/approval-desk.ts";
import type { Json, JsonObject } from "../case-file.ts";
import { listOf, numberOf, objectOf, textOf } from "../input.ts";
import { type Ground, on, words } from "./approvals.ts";

/** What a surface does that there is not yet. */
const NEEDS: readonly (readonly [is: (input: JsonObject) => boolean, needs: string])[] = [
  [({ answered_by: by, owner, approver, requester }) => [by, owner, approver, requester].some(isGiven), "channels"],
  [({ answered_in: place, chat }) => [place, chat].some(isGiven), "channels"],
  [({ message_kind: kind, author }) => [kind, author].some(isGiven), "channels"],
  [({ surface, callback_mac: mac }) => isGiven(mac) || /chat|button|telegram/u.test(said(surface)), "channels"],
  [({ answer }) => /^\/|^button$/u.test(said(answer)), "channels"],
  [({ surface }) => surface === "acp", "ACP"],
  [({ surface }) => /^(?:web )?ui$|web/u.test(said(surface)), "the web page"],
  [(input) => /\bfreeze|frozen/iu.test(JSON.stringify(input)), "the state in which all is frozen"],
];

const isGiven = (value: Json | undefined): boolean => value !== undefined;
const said = (value: Json | undefined): string => (typeof value === "string" ? value : "");

export function approvalUnsupported(input: Json): string | undefined {
  const given = objectOf(input, "input");
  const isOfOne = Array.isArray(given["pending"]);
  const [, needs] = NEEDS.find(([is]) => is(isOfOne ? { ...given, answer: "" } : given)) ?? [];
  return needs === undefined ? undefined : `needs ${needs}, a later part`;
}

const CHANGED_POLICY = /^policy(?:_version|_changed)?$/u;
const PASSED = /(?:age|elapsed|after|later|waited|delay|minutes|seconds|hours|_ms|_s)/u;

interface Shape {
  readonly keys: RegExp;
  readonly needs: string;
  readonly run: (given: JsonObject) => Promise<string>;
}

/** A case with a field that none of them knows is none of these. */
const SHAPES: readonly Shape[] = [
  {
    needs: "approved",
    keys: new RegExp(`^(?:approved|executed|uses)$|${CHANGED_POLICY.source}|${PASSED.source}`, "u"),
    run: boundCase,
  },
  { needs: "id", keys: /^(?:pending|answer|id)$/u, run: namedCase },
  { needs: "event", keys: /^(?:pending|event)$/u, run: eventCase },
  { needs: "answer", keys: /^(?:pending|answer|surface)$/u, run: answerCase },
  { needs: "approver_crashes_in_callback", keys: /^approver_crashes_in_callback$/u, run: crashedCase },
  { needs: "denials_of_same_plan", keys: /^denials_of_same_plan$/u, run: deniedCase },
  { needs: "attended", keys: /^(?:attended|verdict)$/u, run: unattendedCase },
  { needs: "command_length", keys: /^(?:command_length|surface)$/u, run: shownCase },
];

export function approvalCase(input: Json): Promise<string> {
  const given = objectOf(input, "input");
  const names = Object.keys(given);
  const shape = SHAPES.find(({ needs, keys }) => names.includes(needs) && names.every((name) => keys.test(name)));
  if (shape === undefined) throw new Error(`no such case: ${JSON.stringify(given)}`);
  return shape.run(given);
}

/** A yes that was given to one plan, and what is there when it runs. */
function boundCase(given: JsonObject): Promise<string> {
  const approved = objectOf(given["approved"], "approved");
  const executed = objectOf(given["executed"], "executed");
  const uses = given["uses"] === undefined ? 1 : numberOf(given["uses"], "uses");
  return on(async (ground) => {
    const runs = callIn(executed);
    const desk = new ApprovalDesk("plan", { calls: [...new Set([callIn(approved), runs])] });
    desk.digest = digestOf(approved, ground);
    const lane = await desk.lane("park");
    await lane.run("go").result;
    await lane.approve(callIn(approved), true);
    desk.nowMs += passedMs(given) + passedMs(executed);
    desk.digest = digestOf(executed, ground) + (policyOf(executed) === policyOf(approved) ? "" : " of another policy");
    if (given["policy_changed"] === true) desk.digest += " of another policy";
    if (executed["session"] === approved["session"]) await lane.resume().result;
    else await (await desk.lane("park", "another session")).run("go").result;
    for (let use = 1; use < uses && !lane.unfinished; use++) await lane.run("go").result;
    desk.store.close();
    return desk.ran.filter(({ callId }) => callId === runs).length < uses ? "refuse" : "run";
  });
}

const callIn = ({ tool_call: call }: JsonObject): string => (call === undefined ? "c1" : textOf(call, "tool_call"));

/** The version stands in front of all that a digest is made of. */
const policyOf = (plan: JsonObject): string =>
  JSON.stringify(Object.entries(plan).filter(([name]) => CHANGED_POLICY.test(name)));

const UNITS: readonly (readonly [name: RegExp, ms: number])[] = [
  [/_ms$/u, 1],
  [/hour|_h$/u, 3_600_000],
  [/second|_s(?:ec)?$/u, 1_000],
  [/./u, 60_000],
];

/** How long ago the yes was given. */
function passedMs(given: JsonObject): number {
  const lengths = Object.entries(given).flatMap(([name, value]) =>
    PASSED.test(name) && typeof value === "number" ? [value * (UNITS.find(([unit]) => unit.test(name))?.[1] ?? 1)] : [],
  );
  return Math.max(0, ...lengths);
}

function digestOf({ argv, cwd, env = {} }: JsonObject, ground: Ground): string {
  const folder = textOf(cwd, "cwd").replace("/home/u", ground.home);
  const variables = Object.entries(objectOf(env, "env")).map(([name, value]) => [name, textOf(value, name)]);
  const verdict = ground.judge(words(listOf(argv, "argv")), folder, Object.fromEntries(variables));
  return verdict.type === "ask" ? (verdict.plan?.digest ?? "no plan") : verdict.type;
}

/** Two calls wait, and the answer names one. */
async function namedCase({ pending, id }: JsonObject): Promise<string> {
  const calls = Array.isArray(pending) ? listOf(pending, "pending") : [objectOf(pending, "pending")];
  const desk = new ApprovalDesk("plan", { calls: calls.map((call) => callIn(objectOf(call, "a call"))) });
  const lane = await desk.lane("park");
  await lane.run("go").result;
  await lane.approve(textOf(id, "id"), true);
  await lane.resume().result;
  desk.store.close();
  return desk.ran.length === 0 ? "refuse" : `run only ${desk.ran.map(({ callId }) => callId).join(" and ")}`;
}

/** What a person says there, in the words of the prompt. */
const ANSWERS: ReadonlyMap<string, string> = new Map([
  ["approve", "yes"],
  ["deny", "no"],
  ["deny+stop", "stop"],
]);

function answerCase({ answer }: JsonObject): Promise<string> {
  const text = said(answer);
  return typed(ANSWERS.get(text) ?? text);
}

/** The lines that a person types at the prompt. */
async function typed(text: string): Promise<string> {
  const desk = new ApprovalDesk("plan");
  const lane = await desk.lane("park");
  await lane.run("go").result;
  await askAt(lane, text);
  await lane.resume().result;
  desk.store.close();
  return desk.ran.length === 0 ? "deny" : "run";
}

const askAt = (lane: Lane, text: string | undefined): Promise<void> =>
  askApprovals(lane, {
    lines: { question: () => Promise.resolve(text), lookAgain: () => {} },
    language: "en",
    tell: () => {},
    steer: async (said) => void (await lane.steer(said)),
  });

/** What happens while a question stands open. */
const EVENTS: readonly (readonly [event: RegExp, run: () => Promise<string>])[] = [
  [/restart|crash|reboot/u, restartCase],
  [/\/?stop\b|interrupt/u, stoppedCase],
  [/double|twice|second click/u, doubleCase],
  [/session reset|\/new|\/reset|new(?:er)? (?:user )?message|user message/u, supersededCase],
  [/time ?-?out|expire|no answer/u, timeoutCase],
  [/policy/u, otherPolicyCase],
];

function eventCase(given: JsonObject): Promise<string> {
  const event = textOf(given["event"], "event");
  const run = EVENTS.find(([is]) => is.test(event))?.[1];
  if (run === undefined) throw new Error(`no such event: ${event}`);
  return run();
}

async function restartCase(): Promise<string> {
  const desk = new ApprovalDesk("plan");
  const before = await desk.lane("park");
  await before.run("go").result;
  before.release();
  const after = await desk.lane("park");
  await after.resume().result;
  const shown = after.asked.length > 0;
  desk.store.close();
  return desk.ran.length === 0 && shown ? "void or re-shown; never auto-run" : "run";
}

async function stoppedCase(): Promise<string> {
  const desk = new ApprovalDesk("plan");
  const lane = await desk.lane("ask");
  const turn = lane.run("go");
  for await (const event of turn) if (event.type === "approval-requested") await lane.interrupt("user");
  const [call] = lane.asked;
  desk.store.close();
  return desk.ran.length === 0 && call === undefined ? "void" : "run";
}

/** Whoever says yes once more says it to a question that is none. */
async function doubleCase(): Promise<string> {
  const desk = new ApprovalDesk("plan");
  const lane = await desk.lane("park");
  await lane.run("go").result;
  const [{ approvalId } = { approvalId: "" }] = lane.asked;
  const taken = await Promise.all([lane.approve(approvalId, true), lane.approve(approvalId, true)]);
  await lane.resume().result;
  taken.push(await lane.approve(approvalId, true));
  desk.store.close();
  return desk.ran.length === 1 && taken.filter(Boolean).length === 1 ? "run once" : "run";
}

/** Something else is begun in the session: the turn that waits is closed, and an answer to it comes too late. */
async function supersededCase(): Promise<string> {
  const desk = new ApprovalDesk("plan");
  const lane = await desk.lane("park");
  await lane.run("go").result;
  const [{ approvalId } = { approvalId: "" }] = lane.asked;
  await lane.supersede();
  const late = await lane.approve(approvalId, true);
  desk.store.close();
  return desk.ran.length === 0 && !late ? "void" : "run";
}

/** The question is about what was judged by another policy, whose version stands in front of each digest. */
async function otherPolicyCase(): Promise<string> {
  const desk = new ApprovalDesk("plan");
  const lane = await desk.lane("park");
  await lane.run("go").result;
  desk.digest += " of another policy";
  for (const { approvalId } of lane.asked) await lane.approve(approvalId, true);
  await lane.resume().result;
  desk.store.close();
  return desk.ran.length === 0 ? "void" : "run";
}

/** The time of the turn is over before anybody has said a word. */
async function timeoutCase(): Promise<string> {
  const desk = new ApprovalDesk("plan", { maxTimeMs: 1 });
  const lane = await desk.lane("ask");
  const turn = lane.run("go");
  for await (const event of turn) if (event.type === "approval-requested") desk.endTime();
  await turn.result;
  return closed(desk);
}

/** Whoever would answer dies over the question: nobody has said yes. */
async function crashedCase(): Promise<string> {
  const desk = new ApprovalDesk("plan");
  const lane = await desk.lane("ask");
  const turn = lane.run("go");
  const answering = async (): Promise<void> => {
    for await (const event of turn) if (event.type === "approval-requested") throw new Error("the approver died");
  };
  await answering().catch(() => lane.interrupt("user"));
  await turn.result;
  return closed(desk);
}

async function unattendedCase({ attended, verdict = "ask" }: JsonObject): Promise<string> {
  if (attended !== false || verdict !== "ask") throw new Error("somebody is there");
  const desk = new ApprovalDesk("plan");
  await (await desk.lane("never")).run("go").result;
  return closed(desk);
}

/** What the one call came to. */
function closed(desk: ApprovalDesk): string {
  const receipt = desk.facts().find((fact) => fact.type === "receipt");
  desk.store.close();
  return desk.ran.length === 0 && receipt?.message.status === "denied" ? "deny" : "run";
}

/** The model asks for the same again as long as it may. */
async function deniedCase({ denials_of_same_plan: count }: JsonObject): Promise<string> {
  const desk = new ApprovalDesk("plan", { insists: true });
  const lane = await desk.lane("park");
  let turn = lane.run("go");
  let denied = 0;
  for (; denied < numberOf(count, "denials_of_same_plan"); denied++) {
    const result = await turn.result;
    if (!lane.unfinished || result.ok) break;
    await askAt(lane, "no");
    turn = lane.resume();
  }
  await turn.result;
  const ended = !lane.unfinished;
  desk.store.close();
  return ended && desk.ran.length === 0 ? "turn ends" : "asks again";
}

/** All of it stands there before anybody is asked. */
function shownCase({ command_length: length }: JsonObject): Promise<string> {
  const command = `echo ${"x".repeat(numberOf(length, "command_length") - 5)}`;
  const call = { approvalId: "a", callId: "c", name: "terminal", input: JSON.stringify({ command }), why: "it acts" };
  const isWhole = callLines(call, "en").join("\n").includes(command);
  return Promise.resolve(isWhole ? "shown in full" : "not approvable");
}
