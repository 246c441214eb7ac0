import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { TurnResult } from "../../../src/protocol/result.ts";
import { EndlessProvider } from "../../support/endless-provider.ts";
import { goesSoon } from "../../support/gone.ts";
import { say } from "../../support/wire-script.ts";
import { type Ended, Place, resultOf, type Running } from "../program.ts";
import { type Asked, openServer } from "./asked.ts";
import { findMachine } from "./machines.ts";
import { type Act, REQUESTS, type Row, WITHIN_S } from "./row.ts";

/** How a row ended, and everything that was wrong with it. */
export interface Verdict {
  readonly faults: readonly string[];
  readonly end: string;
  readonly seconds: number;
  readonly requests: number;
}

const KEY = "sk-hostile-0123456789abcdef";
const QUICK_RETRIES = ["--config", "retry.baseMs=1"];

/** Runs a row against the built program, judges its end, and goes on with the session against a strict provider. */
export async function check(row: Row): Promise<Verdict> {
  const place = new Place();
  const elsewhere = await OtherHost.listen();
  const asked = await openServer(row, { elsewhere: elsewhere.url });
  try {
    const { ended, seconds } = await run(row, { place, asked });
    const requests = asked.count();
    const led = elsewhere.requests;
    const faults = [
      ...(ended === undefined
        ? [`it did not end: ${seconds.toFixed(1)} s, ${requests} requests`]
        : [...judge(ended, row), ...(requests > (row.requests ?? REQUESTS) ? [`${requests} model requests`] : [])]),
      ...asked.faults().map((what) => `illegal request: ${what}`),
      ...(led === 0 ? [] : [`${led} requests went to the host it was redirected to`]),
      ...(await leftBehind(row, place)),
      ...(await followed(row, place)),
      ...keyKept(place),
    ];
    return { faults, end: ended === undefined ? "never" : endName(ended), seconds, requests };
  } finally {
    await asked.close();
    await elsewhere.close();
    place.remove();
  }
}

async function run(row: Row, scene: Scene): Promise<{ ended: Ended | undefined; seconds: number }> {
  const { place, asked } = scene;
  const machine = await findMachine(row.machine ?? "calm", place);
  const args = ["-p", "go", "--output", "json", ...QUICK_RETRIES, ...(row.args ?? []), ...(machine.args ?? [])];
  const env = { OPENAI_API_KEY: KEY, ...(row.act?.at === "models" && { OPENAI_MODEL: undefined }) };
  const startedMs = performance.now();
  const ended = await endOf(place.start(asked.baseUrl, args, { ...machine.options, env }), row, scene);
  const seconds = (performance.now() - startedMs) / 1_000;
  await machine.leave?.();
  return { ended, seconds };
}

interface Scene {
  readonly place: Place;
  readonly asked: Asked;
}

/** Undefined when it had to be ended from outside. */
async function endOf(running: Running, row: Row, scene: Scene): Promise<Ended | undefined> {
  const enough = new AbortController();
  const late = setTimeout(WITHIN_S * 1_000, undefined, { signal: enough.signal }).catch(() => undefined);
  // A loop that makes three times the requests it may make has shown that it does not end.
  const loops = scene.asked.overrun(3 * REQUESTS).then(() => undefined);
  if (row.act !== undefined) await Promise.race([act(running, row.act, scene), running.ended, late]);
  const ended = await Promise.race([running.ended, late, loops]);
  enough.abort();
  if (ended === undefined) running.child.kill("SIGKILL");
  await running.ended;
  return ended;
}

async function act({ child }: Running, { signal, at, twice }: Act, { place, asked }: Scene): Promise<void> {
  await asked.moment(at, place.work);
  child.kill(signal);
  if (twice === true) child.kill(signal);
}

function endName(ended: Ended): string {
  if (ended.signal !== null) return ended.signal === "SIGKILL" ? "killed" : ended.signal;
  return `${reading(ended)?.exit.reason ?? "no result"} ${ended.code}`;
}

function reading(ended: Ended): TurnResult | undefined {
  try {
    return resultOf(ended);
  } catch {
    return undefined;
  }
}

function judge(ended: Ended, row: Row): string[] {
  const end = endName(ended);
  const wanted = row.answer === undefined ? (row.ends ?? []) : ["text_response 0"];
  const faults = wanted.includes(end) ? [] : [`it ended with ${end}`];
  if (row.act?.signal === "SIGKILL") return faults;
  const result = reading(ended);
  if (result === undefined)
    return [...faults, `not one JSON object: ${ended.stdout.slice(0, 200)} ${ended.stderr.slice(0, 200)}`];
  if (`${ended.stdout}${ended.stderr}`.includes(KEY)) faults.push("it shows the key");
  if (/\n\s+at |node:internal/u.test(ended.stderr)) faults.push("it shows a stack");
  if (result.ok !== (ended.code === 0)) faults.push(`ok is ${result.ok} with code ${ended.code}`);
  return [...faults, ...judgeAnswer(result, row), ...judgeCause(result), ...judgeUsage(result)];
}

function judgeAnswer({ answer, ok }: TurnResult, row: Row): string[] {
  if (!ok) return row.answer === undefined ? [] : ["there is an answer, and it was not given"];
  const shown = JSON.stringify(answer)?.slice(0, 80);
  if (answer === null || answer.trim() === "") return ["exit code 0 without an answer"];
  if (row.answer === undefined) return [`exit code 0 with ${shown}`];
  const isRight = typeof row.answer === "string" ? answer === row.answer : row.answer.test(answer);
  return isRight ? [] : [`the answer is ${shown}`];
}

/** What a person reads: the cause in one plain line, and what to do. */
function judgeCause({ ok, error, exit }: TurnResult): string[] {
  if (error === null || ok) return ok && error === null ? [] : ["there is an answer exactly when there is no error"];
  const { message, next } = error;
  const isPlain = /^[^\p{Cc}]{10,1000}$/u.test(message) && !/<\/?[a-z!][^>]*>/iu.test(message);
  return [
    ...(isPlain ? [] : [`its cause reads: ${message}`]),
    ...(exit.explain === null || exit.explain === "" ? ["it has no explanation"] : []),
    ...(next.length === 0 ? ["it has no next step"] : []),
  ];
}

function judgeUsage({ usage }: TurnResult): string[] {
  const strange = Object.entries(usage).filter(([, count]) => !Number.isSafeInteger(count) || Number(count) < 0);
  return strange.map(([name, count]) => `usage.${name} is ${String(count)}`);
}

/** A tool writes its process number; the program must not leave it behind, unless it was killed itself. */
async function leftBehind({ act: done }: Row, { work }: Place): Promise<string[]> {
  if (!existsSync(join(work, "pid"))) return done?.at === "tool" ? ["the tool never ran"] : [];
  const pid = Number(readFileSync(join(work, "pid"), "utf8"));
  if (done?.signal !== "SIGKILL" && (await goesSoon(pid))) return [];
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    return [];
  }
  return done?.signal === "SIGKILL" ? [] : ["the tool still runs"];
}

/** The session goes on where the provider refuses every illegal request; where nothing was kept, that is said. */
async function followed({ unkept }: Row, place: Place): Promise<string[]> {
  const strict = new EndlessProvider(() => say("went on"));
  await strict.server.listen();
  try {
    const args = ["-p", "continue", "--resume", "last", "--output", "json"];
    const ended = await place.run(strict.server.baseUrl, args, { env: { OPENAI_API_KEY: KEY } });
    const faults = strict.violations().map((what) => `illegal request when it goes on: ${what}`);
    const end = endName(ended);
    const isGood =
      unkept === true ? UNKEPT.has(end) : end === "text_response 0" && reading(ended)?.answer === "went on";
    return isGood
      ? faults
      : [...faults, `it goes on with ${end}: ${reading(ended)?.error?.message ?? ended.stderr.slice(0, 200)}`];
  } finally {
    await strict.close();
  }
}

const UNKEPT: ReadonlySet<string> = new Set(["session_not_found 2", "store_unavailable 73"]);

function keyKept({ home }: Place): string[] {
  if (!existsSync(home)) return [];
  const files = readdirSync(home, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files.flatMap(({ name }) => (readFileSync(join(home, name)).includes(KEY) ? [`${name} holds the key`] : []));
}

/** A host that nobody may be led to. */
class OtherHost {
  requests = 0;
  private readonly server: HttpServer;

  private constructor() {
    this.server = createServer((_, response) => {
      this.requests++;
      response.end();
    });
  }

  static async listen(): Promise<OtherHost> {
    const host = new OtherHost();
    host.server.listen(0, "127.0.0.1");
    await once(host.server, "listening");
    return host;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1/chat/completions`;
  }

  async close(): Promise<void> {
    const closed = once(this.server, "close");
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}
