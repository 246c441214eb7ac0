import type { StoreFault } from "../protocol/store.ts";
import { RETRY, type Step } from "./steps.ts";

const OTHER_FOLDER: Step = {
  do: "other-folder",
  text: { en: "Keep sessions in another folder.", zh: "把会话保存到另一个文件夹。" },
  command: "export EVANDER_HOME=/absolute/folder",
};

const RECOVER: Step = {
  do: "recover-store",
  text: {
    en: "Save what can be read of the damaged store; the original is kept.",
    zh: "救回损坏存储中可读的内容；原件会保留。",
  },
  command: "evander store recover",
};

/** Somebody else works in the session. */
export const BUSY: Step = {
  do: "new-session",
  text: { en: "Wait for it to finish, or ask in another session.", zh: "等它结束，或在另一个会话中提问。" },
  command: null,
};

/** What helps when a session cannot be kept, by what is wrong with the store; the fault's own sentence names the place. */
export const STORE_STEPS: Readonly<Record<StoreFault, readonly Step[]>> = {
  busy: [BUSY],
  locked: [RETRY],
  full: [RETRY, OTHER_FOLDER],
  read_only: [OTHER_FOLDER],
  corrupt: [RECOVER, OTHER_FOLDER],
  newer: [OTHER_FOLDER],
  lease_lost: [RETRY],
  io: [OTHER_FOLDER],
};
