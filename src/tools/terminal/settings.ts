import { type Limits, USUAL_LIMITS } from "./limits.ts";

/** Where commands run. */
export type BackendChoice =
  | { readonly type: "local" }
  /** In a container of this image, one for each session, which sees the working folder at the same place. */
  | { readonly type: "docker"; readonly image: string | undefined }
  /** On another machine; `folder`: the working folder there, or the same as here. */
  | { readonly type: "ssh"; readonly host: string | undefined; readonly folder?: string | undefined };

/** What was set of the terminal; what is absent is as usual. */
export interface TerminalSettings {
  /** How long a command may run that says nothing of it, seconds. */
  readonly timeoutS?: number;
  /** Background processes at once in a session. */
  readonly background?: number;
  readonly backend?: BackendChoice;
  readonly limits?: Partial<Limits>;
  /** Variables of our own environment that commands get besides the usual ones. */
  readonly pass?: readonly string[];
}

// Seconds; Hermes §16. More than the maximum is an error, not a shorter wait.
const USUAL_TIMEOUT_S = 180;
export const MAX_TIMEOUT_S = 600;
/** Security §3.11. */
const USUAL_BACKGROUND = 4;

/** Seconds: 0 is no answer of a model, so what was set counts, which may be more than a model may ask for. */
export const timeoutOf = ({ timeoutS = USUAL_TIMEOUT_S }: TerminalSettings, asked: number | undefined): number =>
  asked === undefined || asked === 0 ? timeoutS : asked;

export const backgroundOf = ({ background = USUAL_BACKGROUND }: TerminalSettings): number => background;

export const limitsOf = ({ limits }: TerminalSettings): Limits => ({ ...USUAL_LIMITS, ...limits });

/** For the model: where the commands run, when that is not where its files are. */
export function placeOf(backend: BackendChoice | undefined): string {
  if (backend === undefined || backend.type === "local") return "";
  const there =
    backend.type === "docker"
      ? "in a container that sees the working folder alone"
      : `on the machine ${backend.host ?? "that is set"}`;
  return ` They run ${there}; the file tools work on this machine.`;
}
