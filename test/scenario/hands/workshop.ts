import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type FakeProvider, fakeProvider } from "../../support/fake-provider.ts";
import { folderPicture } from "../../support/folder-picture.ts";
import { Pty } from "../../support/pty.ts";
import { type Ended, Place, type Running } from "../program.ts";
import { FILES, KEY, TEST_PROGRAM } from "./project.ts";

const CONFIG = (baseUrl: string): string => `
model: m-1
provider: mine
providers: { mine: { baseUrl: "${baseUrl}", apiKey: { env: MINE_KEY } } }
models: { mine/m-1: { contextWindow: 200000 } }
review: { when: never }
`;

type Picture = ReturnType<typeof folderPicture>;

/** One home, one project under git, one conversation at a terminal, and the model that is asked. */
export class Workshop implements AsyncDisposable {
  readonly model: FakeProvider;
  readonly place: Place;
  private readonly kept = new Map<string, string>();
  private readonly pictures = new Map<string, Picture>();
  private open: Pty | undefined;

  private constructor(place: Place, model: FakeProvider) {
    this.place = place;
    this.model = model;
  }

  static async begin(): Promise<Workshop> {
    const place = new Place();
    const model = await fakeProvider([]);
    mkdirSync(place.home, { mode: 0o700 });
    writeFileSync(join(place.home, "config.yaml"), CONFIG(model.baseUrl), { mode: 0o600 });
    furnish(place);
    const workshop = new Workshop(place, model);
    workshop.photograph("at first");
    return workshop;
  }

  /** The conversation, opened when it is first needed. */
  async talk(): Promise<Pty> {
    if (this.open !== undefined) return this.open;
    const { folder, work } = this.place;
    // The project's own folder holds nothing of the terminal.
    const pty = new Pty({ cwd: folder, args: ["--cwd", work], env: { ...this.env, TERM: "xterm-256color" } });
    this.open = pty;
    await pty.shown(PROMPT);
    return pty;
  }

  /** Sends a message of one row. */
  async send(text: string): Promise<void> {
    const pty = await this.talk();
    pty.type(text);
    await pty.shown(text, PROMPT);
    pty.type("\r");
  }

  /** The end of the turn that began with this message. Returns the id of the turn. */
  async answered(text: string): Promise<string> {
    const pty = await this.talk();
    await pty.shown("✓ answered", text);
    await pty.shown(PROMPT, "✓ answered");
    const [, turnId = ""] = /^turn (\S+) of session/u.exec(await this.print("turn", "explain", "last")) ?? [];
    return turnId;
  }

  /** What people have read since this message. */
  async readSince(text: string): Promise<string> {
    const { plain } = await this.talk();
    return plain.slice(plain.lastIndexOf(text));
  }

  /** Ctrl-D at the prompt. Returns all that the terminal was sent. */
  async leave(): Promise<string> {
    const pty = await this.talk();
    pty.type("\u0004");
    assert.equal(await pty.ended, 0, pty.plain);
    return pty.text;
  }

  start(args: readonly string[]): Running {
    return this.place.start(undefined, args, { env: this.env });
  }

  /** One command line to its end, which must be a good one. */
  async run(...args: readonly string[]): Promise<Ended> {
    const ended = await this.start(args).ended;
    assert.equal(ended.code, 0, `evander ${args.join(" ")}\n${ended.stdout}\n${ended.stderr}`);
    return ended;
  }

  /** What it prints. */
  async print(...args: readonly string[]): Promise<string> {
    return (await this.run(...args)).stdout;
  }

  /** Remembers all that can be seen of the project now, `.git` with it. */
  photograph(name: string): void {
    this.pictures.set(name, folderPicture(this.place.work));
  }

  /** How many paths of the project differ from then in anything but their times. */
  differsFrom(name: string): number {
    const [then, now] = [this.pictures.get(name), folderPicture(this.place.work)];
    assert.ok(then !== undefined, `nobody has photographed ${name}`);
    const paths = new Set([...Object.keys(then), ...Object.keys(now)]);
    return [...paths].filter((path) => then[path] !== now[path]).length;
  }

  /** How many files of the state, but for copies of the project's own files, hold this text. */
  filesOfStateWith(text: string): number {
    const files = readdirSync(this.place.home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => !path.startsWith(join(this.place.home, "checkpoints")));
    assert.ok(files.length > 1, files.join());
    return files.filter((path) => readFileSync(path).includes(text)).length;
  }

  /** For a later step. */
  keep(name: string, value: string): void {
    this.kept.set(name, value);
  }

  recall(name: string): string {
    const kept = this.kept.get(name);
    assert.ok(kept !== undefined, `no step has kept ${name}`);
    return kept;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.open?.[Symbol.asyncDispose]();
    this.place.remove();
    // What it has seen was told by the step it was asked.
    await this.model.close().catch(() => undefined);
  }

  private get env(): NodeJS.ProcessEnv {
    const { folder, home } = this.place;
    const path = `${join(folder, "bin")}:${process.env["PATH"]}`;
    return {
      PATH: path,
      HOME: folder,
      EVANDER_HOME: home,
      EVANDER_LOCAL_SERVERS: "off",
      EVANDER_SANDBOX_MODE: "off",
      MINE_KEY: KEY,
    };
  }
}

const PROMPT = "› ";

function furnish({ folder, work }: Place): void {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(work, name)), { recursive: true });
    writeFileSync(join(work, name), text);
  }
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin", TEST_PROGRAM), "#!/bin/sh\nexec node --test --test-reporter=tap\n");
  chmodSync(join(folder, "bin", TEST_PROGRAM), 0o755);
  const git = (...args: readonly string[]): unknown => execFileSync("git", ["-C", work, ...args], { stdio: "pipe" });
  git("init", "-q");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.org");
  git("config", "gc.auto", "0");
  git("add", ".");
  git("commit", "-qm", "A kettle");
}
