import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Readable, Writable } from "node:stream";
import type { ProviderAnswer } from "../../../src/protocol/provider.ts";
import { userText } from "../../../src/protocol/message.ts";
import { openStore } from "../../../src/agent/agent.ts";
import { ProgramWorld } from "../../support/program.ts";
import { LONGEST_MS, type Outcome } from "./contract.ts";
import type { Invocation } from "./invocation.ts";
import type { BrokenServers } from "./servers.ts";

/** A place for one invocation: files to hand in, and the state folder that was asked for. */
class FuzzPlace implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open({ home }: Pick<Invocation, "home">): Promise<FuzzPlace> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "evander-fuzz-")));
    await writeFile(join(folder, "picture.png"), Buffer.from("89504e470d0a1a0a0000", "hex"));
    await writeFile(join(folder, "paper.pdf"), "%PDF-1.7 ");
    await writeFile(join(folder, "broken.jsonl"), '{"type":"session","schema":"evander.session.v1"}\n{');
    await prepare(join(folder, "state"), home);
    return new FuzzPlace(folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await chmod(join(this.folder, "state"), 0o700).catch(() => undefined);
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function prepare(state: string, home: Invocation["home"]): Promise<void> {
  if (home === "fresh") return;
  if (home === "file") return writeFile(state, "a file");
  await mkdir(state);
  if (home === "damaged") await writeFile(join(state, "evander.db"), Buffer.alloc(8_192, "no database "));
  if (home === "kept" || home === "newer") await keep(state);
  if (home === "newer") {
    const db = new DatabaseSync(join(state, "evander.db"));
    db.exec("pragma user_version = 1000");
    db.close();
  }
  if (home === "unwritable") await chmod(state, 0o500);
}

async function keep(folder: string): Promise<void> {
  const store = openStore(folder);
  const fact = { type: "history-imported", seq: 0, messages: [userText("hello")] } as const;
  await store.restore({ sessionId: "kept-1", title: "hello", createdMs: 0, facts: [{ atMs: 0, fact }] });
  store.close();
}

const DEAD = "http://127.0.0.1:9/v1";

function answerOf(model: Invocation["model"], servers: BrokenServers): ProviderAnswer {
  switch (model) {
    // A server that was named: without one a conversation opens with the practice model, and nothing fails.
    case "none":
      return none("missing_key", "h.test needs a key, and OPENAI_API_KEY is not set.");
    case "bad-key":
      return none("bad_key", "The API key holds white space.");
    default: {
      const baseUrl = model === "dead" ? DEAD : servers.baseUrl(model);
      return { type: "found", provider: "custom", model: "m", baseUrl, apiKey: undefined, source: "OPENAI_BASE_URL" };
    }
  }
}

function none(cause: "missing_key" | "bad_key", message: string): ProviderAnswer {
  const next = [{ do: "practice", text: "Use the practice model", command: "evander --model practice" }];
  return { type: "none", cause, message, next };
}

/** In this process: quick, and a provider that is found or not without looking. */
export async function runHere(invocation: Invocation, servers: BrokenServers): Promise<Outcome> {
  const { argv, stdin, env, model, home } = invocation;
  await using place = await FuzzPlace.open({ home });
  const world = ProgramWorld.in(place.folder, answerOf(model, servers));
  const startedAt = performance.now();
  const input = stdin === "closed" ? closed() : Readable.from([Buffer.from(stdin)]);
  const { promise: late, resolve } = Promise.withResolvers<Outcome>();
  const timer = setTimeout(() => resolve({ code: null, stdout: "", stderr: "", ms: Infinity }), LONGEST_MS);
  const ran = world.run(argv, input, { env }).then((ended) => ({ ...ended, ms: performance.now() - startedAt }));
  const outcome = await Promise.race([ran, late]);
  clearTimeout(timer);
  return outcome;
}

/** A stream that was over before anybody read. */
function closed(): Readable {
  const stream = Readable.from([]);
  stream.resume();
  return stream;
}

const ROOT = join(import.meta.dirname, "../../..");

/** As a process of its own, the built program; it is ended when it takes too long. */
export async function runProcess(invocation: Invocation, servers: BrokenServers): Promise<Outcome> {
  const { argv, stdin, env, model, home } = invocation;
  await using place = await FuzzPlace.open({ home });
  const startedAt = performance.now();
  const program = [process.execPath, join(ROOT, "bin/evander.cjs"), ...argv];
  const [command = "", ...words] = stdin === "closed" ? ["sh", "-c", 'exec "$@" <&-', "sh", ...program] : program;
  const child = spawn(command, words, {
    cwd: place.folder,
    env: {
      ...env,
      PATH: process.env["PATH"],
      HOME: place.folder,
      EVANDER_HOME: join(place.folder, "state"),
      EVANDER_SANDBOX_MODE: "off",
      ...variables(model, servers),
    },
    stdio: [stdin === "closed" ? "ignore" : "pipe", "pipe", "pipe"],
  });
  child.stdin?.on("error", () => undefined);
  if (stdin !== "closed") child.stdin?.end(stdin);
  const timer = setTimeout(() => child.kill("SIGKILL"), LONGEST_MS);
  const [stdout, stderr] = [child.stdout, child.stderr].map(collect);
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(timer);
  return { code, stdout: stdout?.() ?? "", stderr: stderr?.() ?? "", ms: performance.now() - startedAt };
}

function collect(stream: Readable | null): () => string {
  const chunks: Buffer[] = [];
  stream?.pipe(new Writable({ write: (chunk: Buffer, _, done) => (chunks.push(chunk), done()) }));
  return () => Buffer.concat(chunks).toString("utf8");
}

function variables(model: Invocation["model"], servers: BrokenServers): Record<string, string> {
  switch (model) {
    case "none":
      return {};
    case "bad-key":
      return { OPENAI_BASE_URL: "https://h.test/v1", OPENAI_API_KEY: "two words", OPENAI_MODEL: "m" };
    default:
      return { OPENAI_BASE_URL: model === "dead" ? DEAD : servers.baseUrl(model), OPENAI_MODEL: "m" };
  }
}
