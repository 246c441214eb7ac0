import type { SmallDisk } from "./small-disk.ts";

export interface FullDisk extends SmallDisk {
  readonly name: string;
  /** What the script must have said, in this order. */
  readonly says: readonly RegExp[];
}

const FULL = /The disk is full, so nothing more can be saved in \S+; free some space and try again\./u;
const ends = (code: number): RegExp => new RegExp(`\\[code ${code}\\]`, "u");
const ANSWERED = /all done/u;
const STORE = { at: "home", mib: 1 };
const SESSIONS = /1 turn {2}hi/u;

/** security.md R5: where a disk can be full, and when it becomes so. */
export const FULL_DISKS: readonly FullDisk[] = [
  {
    ...STORE,
    name: "before there is a store: told, and all is well when space returns",
    script: "fill $EVANDER_HOME; e -p hi; empty $EVANDER_HOME; e -p hi",
    says: [FULL, ends(73), ANSWERED, ends(0)],
  },
  {
    ...STORE,
    name: "when a session goes on: told, everything can be read, and it goes on when space returns",
    script:
      "e -p hi; fill $EVANDER_HOME; e -p on --resume last; e session list; e turn explain last; e session search done; " +
      "empty $EVANDER_HOME; e -p on --resume last; e session list",
    says: [
      ANSWERED,
      ends(0),
      FULL,
      ends(73),
      SESSIONS,
      ends(0),
      /asked: hi/u,
      ends(0),
      ends(0),
      ANSWERED,
      ends(0),
      /2 turns {2}hi/u,
    ],
  },
  {
    ...STORE,
    name: "while a tool runs: told, and the turn goes on when space returns",
    script:
      'mkfifo gate; (exec 5>gate; fill $EVANDER_HOME; echo x >&5) & e -p "run cat gate" --approve all; ' +
      "empty $EVANDER_HOME; e session resume last --continue; e turn explain last",
    says: [FULL, ends(73), ANSWERED, ends(0), /asked: run cat gate/u, /ended: text_response/u],
  },
  {
    ...STORE,
    name: "before a conversation: it lives, and its next message is answered when space returns",
    script: `e -p hi; fill $EVANDER_HOME
      coproc C { "$NODE" "$PROGRAM" 2>&1; }
      to=\${C[1]}
      echo hello >&$to
      while IFS= read -r line; do
        echo "$line"
        case "$line" in
          *"disk is full"*) empty $EVANDER_HOME; echo again >&$to;;
          *"all done"*) echo /quit >&$to;;
        esac
      done <&\${C[0]}
      e session list`,
    says: [ANSWERED, FULL, ANSWERED, /1 turn {2}again/u, ends(0)],
  },
  {
    ...STORE,
    name: "between two turns of one agent of the library: it is told, and the same agent goes on",
    script: '"$NODE" "$ROOT/test/system/full-disk-agent.mjs"',
    says: [/text_response/u, /store_unavailable/u, FULL, /kept 2/u, /text_response/u, /kept 4/u],
  },
  ...[1, 2, 4, 8].map((mib) => ({
    ...STORE,
    mib,
    name: `of ${mib} MiB, filled by the store itself, its log and what moves it into the file: all is kept that was told`,
    script: '"$NODE" "$ROOT/test/system/fill-store.mjs" 2>&1; echo "[code $?]"',
    says: [/full/u, /all there/u, ends(0)],
  })),
  {
    at: "home/state",
    mib: 1,
    name: "where the log is: the turn does not mind",
    script: "fill $EVANDER_HOME/state; e -p hi; e session list",
    says: [ANSWERED, ends(0), SESSIONS],
  },
  {
    at: "temp",
    mib: 1,
    name: "where temporary files are: a tool runs all the same",
    script: 'fill $HOME/temp; export TMPDIR=$HOME/temp; e -p "run echo hi > made" --approve all; cat made',
    says: [ANSWERED, ends(0), /^hi$/mu],
  },
  {
    at: "home/checkpoints",
    mib: 1,
    name: "where files are kept for undo: the tool runs, and it is told that it cannot be undone",
    script: 'fill $EVANDER_HOME/checkpoints; e -p "run echo hi > made" --approve all; cat made; e turn explain last',
    says: [ANSWERED, ends(0), /^hi$/mu, /No snapshot of .* cannot be undone/u],
  },
];

/** The first of what must have been said that was not said in its place; undefined: all was. */
export function notSaid(said: string, says: readonly RegExp[]): RegExp | undefined {
  let rest = said;
  for (const words of says) {
    const found = words.exec(rest);
    if (found === null) return words;
    rest = rest.slice(found.index + found[0].length);
  }
  return undefined;
}
