import type { StoreFault } from "../protocol/store.ts";
import { RETRY, type Step } from "./steps.ts";

const OTHER_FOLDER: Step = {
  do: "other-folder",
  text: "Keep sessions in another folder.",
  command: "export EVANDER_HOME=/absolute/folder",
};

/** What helps when a session cannot be kept, by what is wrong with the store; the fault's own sentence names the place. */
export const STORE_STEPS: Readonly<Record<StoreFault, readonly Step[]>> = {
  busy: [{ do: "new-session", text: "Ask without --resume, or wait for it to finish.", command: null }],
  locked: [RETRY],
  full: [RETRY, OTHER_FOLDER],
  read_only: [OTHER_FOLDER],
  corrupt: [OTHER_FOLDER],
  newer: [OTHER_FOLDER],
  lease_lost: [RETRY],
  io: [OTHER_FOLDER],
};
