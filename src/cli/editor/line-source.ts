/** What a person at a source of lines is asked for now. */
export type Expected =
  /** A message; what was half typed stands behind the prompt. */
  | { readonly type: "message" }
  /** A question has been drawn, and nothing counts as its answer yet. */
  | { readonly type: "question"; readonly text: string }
  | { readonly type: "answer"; readonly text: string; readonly hint: string }
  /** Nothing; what is typed all the same is for the work that goes on. */
  | { readonly type: "nothing" };

export interface LineEvents {
  /** A whole line, with the line breaks of a pasted text. `early`: typed before anybody looked at the terminal. */
  readonly line: (text: string, early?: boolean) => void;
  /** Ctrl-C where there was nothing to clear. */
  readonly interrupted: () => void;
  /** The input has ended. */
  readonly ended: () => void;
  /** Brings back what was queued last, to be written anew; undefined when there is nothing. */
  readonly takeBack: () => string | undefined;
  /** The rest of a word that has been begun; undefined when there is none. */
  readonly complete: (text: string) => string | undefined;
}

/** Where the lines of a person or a pipe come from. */
export interface LineSource {
  expect(what: Expected): void;
  /** Resolves when no key was pressed for so long, ms, from now on. */
  quiet(ms: number): Promise<void>;
  /** Puts a text where messages are written. */
  write(text: string): void;
  /** Lets go of the input; nothing keeps the process. */
  close(): void;
}
