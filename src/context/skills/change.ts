import type { InBoth } from "../../protocol/sentence.ts";
import { randomBytes } from "node:crypto";
import type { Author } from "../../protocol/memory.ts";
import type { SkillAnswer, SkillChange, SkillFinding, SkillProposal, SkillShelf } from "../../protocol/skill.ts";
import { lookAround } from "./available.ts";
import { keep } from "./keep.ts";
import { type Effect, planChange } from "./plan.ts";
import { dropProposal, MOST_PROPOSALS, proposalsIn, putProposal, readProposal } from "./proposals.ts";
import { readSkill } from "./read-skill.ts";
import { dangerous, notWritten, REFUSALS } from "./sentences.ts";
import type { SkillPlaces } from "./shelf.ts";

type Writer = Pick<SkillShelf, "change" | "proposals" | "decide">;

/** Changes skills of the user, one change at a time. */
export function skillWriter(places: SkillPlaces): Writer {
  const root = places.roots.findLast((it) => it.root === "user")?.folder;
  return {
    change: (change, author, tainted) => places.alone(() => tryChange(places, change, { author, tainted })),
    proposals: () => Promise.resolve(root === undefined ? [] : proposalsIn(root)),
    decide: (id, accept) =>
      places.alone(async () => {
        const waiting = root === undefined ? undefined : readProposal(root, id);
        if (root === undefined || waiting === undefined) return undefined;
        const answer: SkillAnswer = accept
          ? await tryChange(places, waiting.change, { author: { by: "person" }, tainted: undefined })
          : { type: "done", skill: undefined };
        if (answer.type === "done") dropProposal(root, id);
        return answer;
      }),
  };
}

interface Asked {
  readonly author: Author;
  readonly tainted: string | undefined;
}

const refused = (sentence: InBoth): SkillAnswer => ({ type: "refused", sentence });

async function tryChange(places: SkillPlaces, change: SkillChange, asked: Asked): Promise<SkillAnswer> {
  try {
    return await makeChange(places, change, asked);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return refused(notWritten(code));
  }
}

async function makeChange(places: SkillPlaces, change: SkillChange, asked: Asked): Promise<SkillAnswer> {
  const planned = await planChange(places, change);
  if ("sentence" in planned) return refused(planned.sentence);
  const { effect } = planned;
  const findings = planned.findings.filter(({ level }) => level !== "tell");
  const bad = findings.filter(({ level }) => level === "refuse");
  if (bad.length > 0) return refused(dangerous(bad));
  const mustAsk = asked.tainted !== undefined || (findings.length > 0 && asked.author.by !== "person");
  if (mustAsk) return propose(places, change, { ...asked, findings });
  keep(effect, places.now());
  return { type: "done", skill: await skillAfter(places, effect) };
}

async function skillAfter(places: SkillPlaces, effect: Effect): ReturnType<typeof found> {
  return effect.do === "drop" && effect.path === undefined ? undefined : found(places, effect);
}

const found = async (
  places: SkillPlaces,
  { root, name }: Effect,
): Promise<Exclude<Awaited<ReturnType<typeof readSkill>>, { fault: unknown }> | undefined> => {
  const read = await readSkill(root, name, lookAround(places));
  return "fault" in read ? undefined : read;
};

function propose(
  places: SkillPlaces,
  change: SkillChange,
  { author, tainted, findings }: Asked & { readonly findings: readonly SkillFinding[] },
): SkillAnswer {
  const root = places.roots.findLast((it) => it.root === "user")?.folder;
  if (root === undefined) return refused(REFUSALS.noFolder);
  if (proposalsIn(root).length >= MOST_PROPOSALS) return refused(REFUSALS.tooManyProposals);
  const id = `${change.name.slice(0, 60)}-${randomBytes(3).toString("hex")}`;
  const why = tainted === undefined ? {} : { tainted };
  const proposal: SkillProposal = { id, change, author, atMs: places.now(), ...why, findings };
  putProposal(root, proposal);
  return { type: "proposed", id, findings };
}
