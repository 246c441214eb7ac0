import { look, type Limits } from "./look.ts";
import type { Shelf, Step, StepChange } from "./shelf.ts";
import { differences, joinRaw, type RawPath, type StateText } from "./state.ts";

/** What a whole turn did to one path. */
export interface Course {
  readonly path: RawPath;
  readonly before: StateText | null;
  readonly after: StateText | null;
  readonly lost: boolean;
  /** Between two changes of the turn somebody else changed it too. */
  readonly mixed: boolean;
}

export interface Looked {
  readonly limits: Limits;
  readonly own: readonly RawPath[];
}

/** By path, in its order; undefined: nothing is kept of the turn. What ends where it began is not there. */
export async function coursesOf(shelf: Shelf, turnId: string, looked: Looked): Promise<Course[] | undefined> {
  const steps = shelf.steps(turnId);
  if (steps.length === 0) return undefined;
  const courses = new Map<RawPath, Course>();
  for (const step of steps) {
    const changes = [...shelf.changes(step.id), ...(step.open ? await lostSince(shelf, step, looked) : [])];
    for (const change of changes) courses.set(change.path, followed(courses.get(change.path), change));
  }
  return [...courses.values()]
    .filter(({ before, after }) => before !== after)
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** Nobody has seen how it ended: what differs now is taken for its work. */
async function lostSince(shelf: Shelf, { root }: Step, { limits, own }: Looked): Promise<StepChange[]> {
  const known = shelf.tree(root);
  if (known === undefined) return [];
  const { tree } = await look(root, { known, limits, leaveOut: own });
  return differences(known, tree).map(({ path, ...states }) => ({ path: joinRaw(root, path), ...states, lost: true }));
}

function followed(known: Course | undefined, { path, before, after, lost }: StepChange): Course {
  if (known === undefined) return { path, before, after, lost, mixed: false };
  // Two calls beside each other may both have seen the same change.
  const again = known.after === after && (known.before === before || lost);
  const mixed = !again && !known.lost && known.after !== before;
  return { path, before: known.before, after, lost: known.lost || lost, mixed: known.mixed || mixed };
}
