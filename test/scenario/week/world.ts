import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FakeProvider, fakeProvider } from "../../support/fake-provider.ts";
import { Pty } from "../../support/pty.ts";
import { type Ended, Place } from "../program.ts";

/** US dollars for a request as the scripted model counts it: 20 tokens in, 5 out. */
export const REQUEST_USD: number = (20 * 3 + 5 * 15) / 1_000_000;

const CONFIG = (baseUrl: string): string => `
model: m-1
provider: mine
providers: { mine: { baseUrl: "${baseUrl}" } }
models: { mine/m-1: { contextWindow: 200000, prices: { input: 3, output: 15 } } }
review: { iterations: 4, turns: 50 }
dream: { when: asked }
`;

/** One home and one project, which separate processes of the built program share for a week, and the model they all ask. */
export class Week implements AsyncDisposable {
  readonly model: FakeProvider;
  private readonly place: Place;
  private readonly kept = new Map<string, string>();

  private constructor(place: Place, model: FakeProvider) {
    this.place = place;
    this.model = model;
  }

  static async begin(): Promise<Week> {
    const place = new Place();
    const model = await fakeProvider([]);
    mkdirSync(place.home, { mode: 0o700 });
    writeFileSync(join(place.home, "config.yaml"), CONFIG(model.baseUrl), { mode: 0o600 });
    return new Week(place, model);
  }

  /** A file of the project. */
  put(name: string, text: string): void {
    writeFileSync(join(this.place.work, name), text);
  }

  read(name: string): string {
    return readFileSync(join(this.place.work, name), "utf8");
  }

  /** A file of notes, as it lies there. */
  notes(name: "MEMORY.md" | "USER.md"): string {
    return readFileSync(join(this.place.home, "memory", name), "utf8");
  }

  /** One command line to its end, which must be a good one. */
  async run(...args: readonly string[]): Promise<Ended> {
    const ended = await this.place.run(undefined, args);
    assert.equal(ended.code, 0, `evander ${args.join(" ")}\n${ended.stdout}\n${ended.stderr}`);
    return ended;
  }

  /** What it prints. */
  async print(...args: readonly string[]): Promise<string> {
    return (await this.run(...args)).stdout;
  }

  /** For a later day. */
  keep(name: string, value: string): void {
    this.kept.set(name, value);
  }

  recall(name: string): string {
    const kept = this.kept.get(name);
    assert.ok(kept !== undefined, `no day has kept ${name}`);
    return kept;
  }

  /** A conversation at a terminal. */
  async talk(use: (chat: Chat) => Promise<void>): Promise<void> {
    const { folder, home, work } = this.place;
    const env = { PATH: process.env["PATH"], HOME: folder, EVANDER_HOME: home, TERM: "xterm-256color" };
    await using pty = new Pty({ cwd: work, args: [], env: { ...env, EVANDER_LOCAL_SERVERS: "off" } });
    await pty.shown(PROMPT);
    await use(new Chat(pty));
    pty.type(CTRL_D);
    assert.equal(await pty.ended, 0, pty.plain);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.place.remove();
    // What it has seen was told by the day it was asked.
    await this.model.close().catch(() => undefined);
  }
}

const PROMPT = "› ";
const CTRL_D = "\u0004";

/** A person at the terminal. */
export class Chat {
  private readonly pty: Pty;

  constructor(pty: Pty) {
    this.pty = pty;
  }

  /** A message of one row, and waits for the end of its turn. */
  async say(text: string): Promise<void> {
    this.pty.type(text);
    await this.pty.shown(text, PROMPT);
    this.pty.type("\r");
    await this.pty.shown("✓ answered", text);
    await this.pty.shown(PROMPT, "✓ answered");
  }

  async shown(text: string, behind = ""): Promise<void> {
    await this.pty.shown(text, behind);
  }
}
