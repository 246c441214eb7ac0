/** What to do next; `command` is for a shell, with `{session}` standing for the session's id. */
export interface Step {
  readonly do: string;
  readonly text: string;
  readonly command: string | null;
}

export const RETRY: Step = {
  do: "retry",
  text: "Ask again in the same session.",
  command: 'evander -p "continue" --resume {session}',
};
export const EXPLAIN: Step = {
  do: "explain",
  text: "See what happened, step by step.",
  command: "evander turn explain last",
};
export const RESUME: Step = {
  do: "resume",
  text: "Go on with this very turn.",
  command: "evander session resume {session} --continue",
};
