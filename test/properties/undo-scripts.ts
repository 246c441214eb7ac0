import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import type { Tool, ToolContext } from "../../src/protocol/tool.ts";
import { createCheckpoints, type OwnCheckpoints } from "../../src/tools/checkpoints/checkpoints.ts";
import { openTurnFiles } from "../../src/tools/checkpoints/turn-files.ts";
import { createToolbox } from "../../src/tools/toolbox.ts";
import { folderPicture } from "../support/folder-picture.ts";

/** One thing that a command does. */
type Op =
  | { readonly do: "write" | "append"; readonly path: string; readonly text: string }
  | { readonly do: "remove" | "folder"; readonly path: string }
  | { readonly do: "move" | "link" | "hard-link"; readonly path: string; readonly to: string }
  | { readonly do: "mode"; readonly path: string; readonly mode: number };

interface Call {
  /** A file tool names the one file it writes; a command may change all of the folder. */
  readonly as: "file" | "command" | "failing";
  readonly ops: readonly Op[];
  /** The process dies when so many of them are done. */
  readonly dies: number | undefined;
}

/** Turns of model calls, each with the calls it asks for. */
export type Script = readonly (readonly (readonly Call[])[])[];

const path = fc.constantFrom("a", "b", "d", "d/a", "d/b", "d/e", "d/e/a", "f/g/h", "ünï \u0001");
const op: fc.Arbitrary<Op> = fc.oneof(
  fc.record({ do: fc.constantFrom("write", "append"), path, text: fc.string({ maxLength: 12 }) }),
  fc.record({ do: fc.constantFrom("remove", "folder"), path }),
  fc.record({ do: fc.constantFrom("move", "link", "hard-link"), path, to: path }),
  fc.record({ do: fc.constant("mode"), path, mode: fc.constantFrom(0o644, 0o755, 0o600, 0o444, 0o500, 0o2755) }),
);
const call: fc.Arbitrary<Call> = fc.record({
  as: fc.constantFrom("file", "command", "command", "failing"),
  ops: fc.array(op, { minLength: 1, maxLength: 5 }),
  dies: fc.option(fc.nat(5), { nil: undefined, freq: 3 }),
});

export const scripts: fc.Arbitrary<Script> = fc.array(
  fc.array(fc.array(call, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 }),
  { minLength: 1, maxLength: 3 },
);

/** What cannot be done is not done, as in a shell. */
function perform(folder: string, each: Op): void {
  const at = join(folder, each.path);
  try {
    switch (each.do) {
      case "write":
        mkdirSync(dirname(at), { recursive: true });
        return writeFileSync(at, each.text);
      case "append":
        return appendFileSync(at, each.text);
      case "remove":
        return rmSync(at, { recursive: true });
      case "folder":
        mkdirSync(at, { recursive: true });
        return;
      case "move":
        return renameSync(at, join(folder, each.to));
      case "link":
        return symlinkSync(each.to, at);
      case "hard-link":
        return linkSync(at, join(folder, each.to));
      case "mode":
        return chmodSync(at, each.mode);
    }
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}

/** As file tools do: no other name of the file sees it. */
function replaceFile(at: string): void {
  try {
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(`${at}.new`, "by a file tool");
    renameSync(`${at}.new`, at);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    rmSync(`${at}.new`, { force: true });
  }
}

/** A process: its tools, what they keep, and how it dies. */
interface Process {
  readonly checkpoints: OwnCheckpoints;
  readonly run: (
    call: Call,
    context: Pick<ToolContext, "turnId" | "iteration" | "callId">,
  ) => Promise<"ended" | "died">;
}

function startProcess(place: Place): Process {
  const { work } = place;
  const checkpoints = createCheckpoints({ folder: place.kept, home: place.home, own: [] });
  let doing: Call | undefined;
  const died = Promise.withResolvers<"died">();
  const tool: Tool = {
    name: "hands",
    description: "Does it.",
    parameters: { type: "object" },
    effect: "effect",
    concurrency: "exclusive",
    changes: () => (doing?.as === "file" ? [join(work, doing.ops[0]?.path ?? "")] : [work]),
    run: () => {
      const { as, ops, dies } = doing ?? { as: "command", ops: [], dies: undefined };
      if (as === "file") replaceFile(join(work, ops[0]?.path ?? ""));
      else for (const each of ops.slice(0, dies)) perform(work, each);
      if (dies !== undefined) {
        died.resolve("died");
        return new Promise(() => undefined);
      }
      if (as === "failing") throw new Error("It failed.");
      return "Done.";
    },
  };
  const toolbox = createToolbox([tool], { checkpoints });
  return {
    checkpoints,
    run: (each, at) => {
      doing = each;
      const part = { type: "tool-call", name: "hands", input: "{}", callId: at.callId } as const;
      const context = { ...at, sessionId: "s", history: [], signal: new AbortController().signal, output: () => {} };
      const ended = toolbox.port.run(part, context).then(
        () => "ended" as const,
        () => "ended" as const,
      );
      return Promise.race([ended, died.promise]);
    },
  };
}

interface Place {
  readonly home: string;
  readonly work: string;
  readonly kept: string;
}

/** So many random scripts, one after the other; returns what went wrong. */
export async function playMany(rounds: number): Promise<string[]> {
  const troubles: string[] = [];
  for (const script of fc.sample(scripts, rounds)) {
    const trouble = await playAndUndo(script);
    if (trouble !== undefined) troubles.push(`${JSON.stringify(script)}\n${trouble}`);
  }
  return troubles;
}

/** Plays a script in a folder of its own, undoes turn by turn, the newest first; returns what is not as it was, or undefined. */
export async function playAndUndo(script: Script): Promise<string | undefined> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "evander-undo-")));
  const place = { home: join(base, "home"), work: join(base, "home", "work"), kept: join(base, "kept") };
  mkdirSync(join(place.work, "d", "e"), { recursive: true });
  for (const name of ["a", "d/a", "d/e/a"]) writeFileSync(join(place.work, name), name);
  symlinkSync("d", join(place.work, "to-d"));
  try {
    const pictures: ReturnType<typeof folderPicture>[] = [];
    for (const [turn, iterations] of script.entries()) {
      pictures.push(folderPicture(place.work));
      await playTurn(place, `turn-${turn}`, iterations);
    }
    for (const [turn, picture] of [...pictures.entries()].toReversed()) {
      const trouble = await undoTurn(place, `turn-${turn}`, picture);
      if (trouble !== undefined) return trouble;
    }
    return undefined;
  } finally {
    rmSync(base, { recursive: true });
  }
}

async function playTurn(place: Place, turnId: string, iterations: Script[number]): Promise<void> {
  let living = startProcess(place);
  for (const [iteration, calls] of iterations.entries())
    for (const [index, each] of calls.entries()) {
      const end = await living.run(each, { turnId, iteration, callId: `${iteration}-${index}` });
      if (end === "ended") continue;
      living.checkpoints.close();
      living = startProcess(place);
    }
  living.checkpoints.close();
}

async function undoTurn(place: Place, turnId: string, picture: object): Promise<string | undefined> {
  const files = openTurnFiles({ folder: place.kept, own: [] });
  const before = JSON.stringify(folderPicture(place.work));
  const end = await files?.undo(turnId, {});
  files?.close();
  const [was, is] = [JSON.stringify(picture), JSON.stringify(folderPicture(place.work))];
  if (was === is) return undefined;
  return `${turnId}: ${JSON.stringify(end)}\n was ${was}\n had ${before}\n is  ${is}`;
}
