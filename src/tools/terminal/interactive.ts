/** Nothing asks where nobody can answer: editors fail at once, pagers print, installers take what is usual. */
export const NEVER_ASK: Readonly<Record<string, string>> = {
  EDITOR: "false",
  VISUAL: "false",
  GIT_EDITOR: "false",
  GIT_SEQUENCE_EDITOR: "false",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  DEBIAN_FRONTEND: "noninteractive",
  PIP_NO_INPUT: "1",
};

/** What programs say that wanted to ask a person. */
const WANTED_INPUT =
  /EOFError|EOF when reading|problem with the editor|terminal prompts disabled|terminal is (?:required|dumb)|no tty present|not a (?:tty|terminal)|\/dev\/tty|inappropriate ioctl|could not read (?:username|password)|host key verification failed|stdin is not|interactive (?:mode|terminal)/iu;

const HINT =
  "[It seems to have asked for input, and there is none here. Use what makes it not ask, such as -y, --yes, --no-edit, -m TEXT, --no-pager or BatchMode, or give the answer in a file.]";

/** A hint for a command that failed because nobody could answer it (EXEC-08). */
export const inputNote = (output: string): string | undefined => (WANTED_INPUT.test(output) ? HINT : undefined);
