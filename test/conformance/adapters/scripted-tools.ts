import type { Tool } from "../../../src/protocol/tool.ts";
import { referenceTools } from "./reference-tools.ts";

/** The tools of a recorded turn: what they return is written down, and what they were asked is noted. */
export interface ScriptedTools {
  readonly tools: readonly Tool[];
  /** In the order the calls began. */
  readonly runs: readonly (readonly [name: string, input: Readonly<Record<string, unknown>>])[];
}

/** Look-ups that both references let run side by side are declared so; all others are undeclared: the careful choice. */
const LOOK_UPS: ReadonlySet<string> = new Set(referenceTools("/").map(({ name }) => name));
const WRITES: ReadonlySet<string> = new Set(["write_file", "patch", "tool_call"]);

/** What a tool says, and whether it throws it. */
export interface Said {
  readonly said: string;
  readonly failed: boolean;
}

/** `answer` is asked with the number of times the tool ran before. */
export function scriptedTools(
  names: readonly string[],
  answer: (name: string, before: number) => Said,
  external: ReadonlySet<string> = new Set(),
): ScriptedTools {
  const runs: [string, Readonly<Record<string, unknown>>][] = [];
  const tools = names.map((name): Tool => {
    const isLookUp = LOOK_UPS.has(name) && !WRITES.has(name);
    return {
      name,
      description: name,
      parameters: { type: "object" },
      effect: isLookUp ? "pure" : "effect",
      concurrency: isLookUp ? "shared" : "exclusive",
      ...(external.has(name) && { external: true }),
      run: (input) => {
        const before = runs.filter(([ran]) => ran === name).length;
        runs.push([name, input]);
        const { said, failed } = answer(name, before);
        if (failed) throw new Error(said);
        return said;
      },
    };
  });
  return { tools, runs };
}
