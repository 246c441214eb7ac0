import { expect, test } from "vitest";
import type { Tool } from "../../src/protocol/tool.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import { echo, guarded } from "../support/tools.ts";
import { callTools, DONE, delta, PAUSE, refuse, say, type ScriptedCall, stream } from "../support/wire-script.ts";

const ask = (id: string): ScriptedCall => ({ id, name: "guarded", arguments: { text: id } });
const RESUME = ["session", "resume", "last", "--continue"];

interface Listed {
  readonly approvalId: string;
  readonly callId: string;
  readonly sessionId: string;
}

async function waiting(world: ProgramWorld): Promise<Listed[]> {
  return JSON.parse((await world.run(["approve", "list", "--json"])).stdout) as Listed[];
}

test("[E10] safe siblings run, the others are decided one by one elsewhere, and then the turn goes on", async () => {
  const tool = guarded();
  const safe = { id: "s", name: "echo", arguments: { text: "safe" } };
  await using provider = await fakeProvider([callTools([safe, ask("x"), ask("y")]), say("Done.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [echo, tool]);
  const parked = await world.run(["-p", "do it", "--approve", "park"]);
  expect((await world.run(["turn", "explain", "last"])).stdout).toContain("echo → ok: echo: safe");
  const [x, y] = await waiting(world);
  expect([x?.callId, y?.callId]).toEqual(["x", "y"]);
  expect(parked.stderr).toContain(`answer: evander approve yes ${x?.approvalId} (or no)`);
  const list = await world.run(["approve", "list"]);
  expect(list.stdout).toContain(`${y?.approvalId}  session session-1, asked `);
  expect(list.stdout).toContain('  guarded needs your approval: it changes something\n    {"text":"y"}\n');

  const no = await world.run(["approve", "no", y?.approvalId ?? ""]);
  expect(no).toMatchObject({ code: 0, stdout: "denied: guarded (session session-1)\n" });
  expect(no.stderr).toContain("evander approve list");
  const yes = await world.run(["approve", "yes", x?.approvalId ?? "", "--json"]);
  expect(JSON.parse(yes.stdout)).toMatchObject({ callId: "x", allow: true, waiting: [] });
  expect(tool.runs).toEqual([]);
  expect((await world.run(["ps"])).stdout).toContain("session-1  parked  do it\n  All is decided");

  expect(await world.run(RESUME)).toMatchObject({ code: 0, stdout: "Done.\n" });
  expect(tool.runs).toEqual(["x"]);
  expect(provider.requests[1]?.body.messages.at(-1)?.content).toContain("Not run: the user denied this call.");
  expect(await waiting(world)).toEqual([]);
});

test("[APPR-02] an answer that comes late changes nothing, also when the same call is asked again", async () => {
  const tool = guarded();
  await using provider = await fakeProvider([callTools([ask("x")]), callTools([ask("x")]), say("Done.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [tool]);
  await world.ask("do it", "--approve", "park");
  const [first] = await waiting(world);
  await world.ask("do it again", "--approve", "park", "--resume", "last");
  const [second] = await waiting(world);
  expect(second?.approvalId).not.toBe(first?.approvalId);
  const late = await world.run(["approve", "yes", second?.approvalId ?? "", first?.approvalId ?? ""]);
  expect(late.code).toBe(2);
  expect(late.stderr).toContain(`not_waiting: No call waits under the id ${first?.approvalId}`);
  expect(await waiting(world)).toEqual([second]);
  await world.run(["approve", "no", second?.approvalId ?? ""]);
  expect((await world.run(["approve", "yes", second?.approvalId ?? ""])).code).toBe(2);
  expect(await world.run(RESUME)).toMatchObject({ code: 0, stdout: "Done.\n" });
  expect(tool.runs).toEqual([]);
});

test("[E10][APPR-04] a question that a live process asks is answered there; /stop denies it, and says so", async () => {
  const tool = guarded();
  await using provider = await fakeProvider([callTools([ask("x")]), say("Next.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [tool]);
  const seat = world.sit(["do it"]);
  await world.shown("Allow? [y/N]");
  const [call] = await waiting(world);
  const elsewhere = await world.run(["approve", "yes", call?.approvalId ?? ""]);
  expect(elsewhere.code).toBe(75);
  expect(elsewhere.stderr).toContain(`asked_elsewhere: Process ${process.pid}`);
  expect((await world.run(["approve", "list"])).stdout).toContain("answer it there");
  const ps = JSON.parse((await world.run(["ps", "--json"])).stdout) as object[];
  expect(ps).toMatchObject([{ standing: "running", owner: { pid: process.pid, alive: true }, next: [] }]);
  seat.type("/stop\r");
  await seat.shown("› ", "interrupted_by_user");
  seat.type("and then?\r");
  await seat.shown("Next.");
  seat.type("\u0004");
  const { stdout } = await seat.ended;
  expect(stdout).toBe("Next.\n");
  expect(tool.runs).toEqual([]);
  const receipt = provider.requests[1]?.body.messages.find((message) => message.role === "tool");
  expect(receipt?.content).toBe("Not run: the turn was stopped before anybody allowed this call.");
});

test("[B17][X13] ps says of a running turn what it waits for, and of one that was left what it was doing", async () => {
  await using provider = await fakeProvider([stream([PAUSE, delta({ content: "Now." }, "stop"), DONE])]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  expect(await world.run(["ps"])).toMatchObject({ code: 0, stdout: "" });
  const running = world.run(["-p", "think"]);
  await provider.paused();
  const ps = await world.run(["ps", "--lang", "zh"]);
  expect(ps.stdout).toContain(`在进程 ${process.pid} 中运行  think\n  已等待 fake-1 回答`);
  expect((await world.run(["turn", "explain", "last"])).stdout).toMatch(/It has waited [\d.]+ s for fake-1 to answer/u);
  provider.release();
  await running;
  expect(await world.run(["ps"])).toMatchObject({ stdout: "", stderr: "No turn is running, parked or left.\n" });
});

test("[X13] at a terminal the line that tells what is waited for tells of tools as well", async () => {
  let finish = (): void => undefined;
  const slow: Tool = { ...echo, name: "slow", run: () => new Promise((resolve) => (finish = () => resolve("ok"))) };
  await using provider = await fakeProvider([callTools([{ id: "t", name: "slow", arguments: {} }]), say("Done.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [slow]);
  const seat = world.sit(["-p", "go"]);
  await world.shown("running slow … ");
  finish();
  expect((await seat.ended).stdout).toBe("Done.\n");
});

test("[J3][APPR-04] next lists what helps after the last turn, and runs the n-th when told to", async () => {
  const tool = guarded();
  await using provider = await fakeProvider([callTools([ask("x")]), refuse(400, { error: { message: "no" } })]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [tool]);
  expect((await world.run(["next"])).code).toBe(2);
  await world.ask("do it", "--approve", "park");
  const listed = await world.run(["next"]);
  expect(listed.stdout.split("\n")).toEqual([
    "1  See what waits; then answer with approve yes ID or approve no ID: evander approve list",
    "2  Go on with this very turn: evander session resume session-1 --continue",
    "",
  ]);
  expect(listed.stderr).toBe("evander next N runs one of them.\n");
  const ran = await world.run(["next", "1"]);
  expect(ran.stdout).toContain("guarded needs your approval");
  expect(ran.stderr).toBe("→ evander approve list\n");
  expect(await world.run(["next", "3"])).toMatchObject({ code: 2, stderr: expect.stringContaining("steps 1 to 2") });
  expect(await world.run(["next", "1", "x"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("takes nothing"),
  });
  expect((await world.run([...RESUME, "--approve", "never"])).code).not.toBe(0);
  expect(provider.requests[1]?.body.messages.at(-1)?.content).toContain("nobody is here to give it");
  const steps = JSON.parse((await world.run(["next", "--json"])).stdout) as object[];
  expect(steps).toMatchObject([{ n: 1, do: "explain", command: "evander turn explain last", takes: [] }]);
  expect((await world.run(["next", "1"])).stdout).toContain("ended: request_rejected");
});

test("[J3] next goes on with more room, and with another model where its name is given", async () => {
  const call = callTools([{ id: "e", name: "echo", arguments: { text: "x" } }]);
  const gone = refuse(404, { error: { message: "The model fake-1 does not exist", code: "model_not_found" } });
  await using provider = await fakeProvider([call, say("So far."), say("Done."), gone, say("Hello.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [echo]);
  await world.ask("loop", "--max-iterations", "1");
  const steps = JSON.parse((await world.run(["next", "--json"])).stdout) as { do: string; command: string }[];
  expect(steps[1]).toMatchObject({
    do: "raise-limit",
    command: 'evander -p "continue" --resume session-1 --max-iterations 2',
  });
  expect(await world.run(["next", "2"])).toMatchObject({ code: 0, stdout: "Done.\n" });
  expect((await world.ask("more")).exit.code).toBe(78);
  const [name] = JSON.parse((await world.run(["next", "--json"])).stdout) as { takes: string[] }[];
  expect(name?.takes).toEqual(["NAME"]);
  expect(await world.run(["next", "1"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("evander next 1 NAME"),
  });
  const other = await world.run(["next", "1", "other one"], "hello\n");
  expect(other).toMatchObject({ code: 0, stdout: "Hello.\n", stderr: expect.stringContaining("--model 'other one'") });
});

test("[J3] after an answer there is nothing to run", async () => {
  await using provider = await fakeProvider([say("Done.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await world.ask("go");
  expect(await world.run(["next"])).toMatchObject({ code: 0, stdout: "" });
});
