import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EFFECTS, type Effect, NOTES } from "../injection/effects.ts";
import { obedient, ordered } from "../injection/obedient.ts";
import { tool } from "../support/agent-in-folder.ts";
import { ProgramWorld } from "../support/program.ts";

const [ADD] = EFFECTS as readonly [Effect];
const WORDS = ordered(ADD.order);
const CTRL_D = "\u0004";
const BEFORE = `${NOTES.memory}\n`;

interface Scene extends AsyncDisposable {
  readonly world: ProgramWorld;
  readonly notes: () => Promise<string>;
}

async function scene(): Promise<Scene> {
  const provider = obedient();
  await provider.server.listen();
  const mail = tool("read_mail", () => WORDS);
  const world = await ProgramWorld.onServer(provider.server.baseUrl, [mail]);
  world.lasting = true;
  const file = join(world.folder, "state/memory/MEMORY.md");
  await mkdir(join(world.folder, "state/memory"), { recursive: true });
  await writeFile(file, BEFORE);
  return {
    world,
    notes: () => readFile(file, "utf8"),
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      await provider.close();
    },
  };
}

const MAIL = ordered({ tool: "read_mail", input: {} });

const WAYS: readonly (readonly [name: string, named: string, run: (world: ProgramWorld) => Promise<unknown>])[] = [
  ["a tool", "read_mail", (world) => world.run(["-p", MAIL])],
  ["a tool, with everything allowed", "read_mail", (world) => world.run(["-p", MAIL, "--approve", "all"])],
  ["a file with -f", "mail.txt", (world) => world.run(["-p", "Sum it up.", "-f", "mail.txt"])],
  ["what is piped in beside a prompt", "stdin", (world) => world.run(["-p", "Sum it up."], WORDS)],
  [
    "an imported conversation",
    "a conversation from elsewhere",
    async (world) => {
      await writeFile(join(world.folder, "c.json"), JSON.stringify([{ role: "user", content: WORDS }]));
      await world.run(["session", "import", "c.json"]);
      return world.run(["-p", "Go on.", "--resume", "last"]);
    },
  ],
];

test.each(WAYS)(
  "[F5] [INJ-02] what %s asks to be remembered waits for `memory review`, which says whose words it was",
  async (_name, named, run) => {
    await using at = await scene();
    const { world, notes } = at;
    await writeFile(join(world.folder, "mail.txt"), WORDS);
    await run(world);
    expect(await notes()).toBe(BEFORE);
    const waiting = await world.run(["memory", "review", "--json"]);
    const [only, ...more] = JSON.parse(waiting.stdout) as readonly { readonly id: string; readonly tainted: string }[];
    expect([only?.tainted, more]).toEqual([named, []]);
    await world.run(["memory", "review", "yes", only?.id ?? ""]);
    expect(await notes()).toContain("account 12345");
  },
);

test.each([
  ["n", MAIL, "read_mail"],
  ["y", MAIL, "read_mail"],
  ["y", "Sum up @mail.txt", "mail.txt"],
])(
  "[F5] [E10] [INJ-02] at a terminal the question says what was read, and only yes is yes: %s",
  async (word, line, named) => {
    await using at = await scene();
    const { world, notes } = at;
    await writeFile(join(world.folder, "mail.txt"), WORDS);
    const seat = world.sit([]);
    await seat.shown("› ");
    seat.type(`${line}\r`);
    await seat.shown("Allow? [y/N]");
    seat.type(`${word}\r`);
    await seat.shown("As you wish.");
    seat.type(CTRL_D);
    const { stderr } = await seat.ended;
    expect(stderr.replaceAll(/\s+/gu, " ")).toContain(`others' words were read in this one (${named})`);
    expect((await notes()).includes("account 12345")).toBe(word === "y");
    expect((await world.run(["memory", "review"])).stderr).toBe("No change waits for you.\n");
  },
);

test("[F5] what the user asks for in a conversation without others' words is written, and nobody is asked", async () => {
  await using at = await scene();
  const { world, notes } = at;
  await world.run([], `${WORDS}\n`);
  expect(await notes()).toContain("account 12345");
  expect((await world.run(["memory", "review"])).stderr).toBe("No change waits for you.\n");
});
