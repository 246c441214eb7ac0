import type { Text } from "../../words/language.ts";

/** What one check found. */
export interface Finding {
  /** Stable, for scripts: `journal`, `paths.data`. */
  readonly id: string;
  /** `warning`: something optional is missing or should be looked at; `broken`: something does not work. */
  readonly state: "ok" | "warning" | "broken";
  readonly text: Text;
  /** One command that helps; null where none does. */
  readonly command: string | null;
  readonly mend?: Mend;
}

/** A change that can be taken back. */
export interface Mend {
  readonly command: string;
  /** Takes it back. */
  readonly undo: string;
  /** Throws when it cannot be done. */
  readonly run: () => void;
}

export const ok = (id: string, text: Text): Finding => ({ id, state: "ok", text, command: null });

export const warning = (id: string, text: Text, command: string | null = null): Finding => ({
  id,
  state: "warning",
  text,
  command,
});

export const broken = (id: string, text: Text, command: string | null = null): Finding => ({
  id,
  state: "broken",
  text,
  command,
});
