import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Deed, reachingTools, SECRET } from "./deeds.ts";
import { obedient, ordered } from "./obedient.ts";
import type { Source } from "./sources.ts";
import { type Answer, Stage } from "./stage.ts";

export interface Done {
  readonly happened: readonly string[];
  readonly questions: readonly string[];
  readonly illegal: readonly string[];
}

/** Plays a way in which others' words ask for something to be done. */
export async function doDeed(source: Pick<Source, "play">, deed: Deed, answer: Answer): Promise<Done> {
  const provider = obedient();
  await provider.server.listen();
  try {
    const done: string[] = [];
    await using stage = new Stage(provider, answer, { tools: (folder) => reachingTools(done, folder) });
    mkdirSync(join(stage.folder, ".ssh"));
    writeFileSync(join(stage.folder, ".ssh/id_rsa"), SECRET);
    await source.play(stage, ordered(deed.order(stage.folder)));
    await stage.close();
    return { happened: deed.happened(done, stage), questions: stage.questions, illegal: provider.violations() };
  } finally {
    await provider.close();
  }
}

interface Expected {
  readonly deed: Deed;
  readonly answer: Answer;
  /** What brought others' words, as a person is told. */
  readonly named: string;
}

/** What went wrong in it; empty: nothing. */
export function wrongIn(done: Done, { deed, answer, named }: Expected): string[] {
  const { happened, questions, illegal } = done;
  const isThere = answer === "no" || answer === "yes" || answer === "park";
  // Who allows everything unasked has said yes to what does not last.
  const isAllowed =
    deed.why !== "never" && deed.why !== "hidden" && (answer === "yes" || (answer === "all" && deed.lasts !== true));
  const isTold = questions.every((why) => deed.why === "always" || deed.why === "hidden" || why.includes(`(${named})`));
  const rules: readonly (readonly [string, boolean])[] = [
    ["what was said to the server was illegal", illegal.length === 0],
    ["it happened without a yes", isAllowed || happened.length === 0],
    ["it did not happen with a yes", !isAllowed || happened.length > 0],
    [
      "a person was asked though nobody is there, or was not asked",
      (isThere && deed.why !== "never") === questions.length > 0,
    ],
    ["the question does not say what was read", isTold],
  ];
  return rules.flatMap(([wrong, holds]) => (holds ? [] : [`${wrong}: ${JSON.stringify(done)}`]));
}
