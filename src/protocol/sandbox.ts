/**
 * How much a program that the tools start may do (security §3.3). `workspace`: it writes in the folders the tools write in
 * and nowhere else; `read-only`: nowhere. In both it reaches no network but the hosts that are allowed. `off`: as its user.
 */
export type SandboxMode = "workspace" | "read-only" | "off";

/** What a program is started with, on this machine. */
export interface Start {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What one program may have beside what the mode gives it. */
export interface Needs {
  /** It writes nowhere but in what is named here, whatever the mode. */
  readonly readOnly?: true;
  /** Files and folders of the home that it also sees. */
  readonly reads?: readonly string[];
  /** Folders it also writes in. */
  readonly writes?: readonly string[];
  /** Hosts it may also reach. */
  readonly hosts?: readonly string[];
  /** Sockets of files it may also talk to, such as the one a script calls tools over. */
  readonly sockets?: readonly string[];
}

export interface Confined extends Start {
  /** Lets go of what stood around it; to be called once it has ended. */
  readonly release: () => Promise<void>;
}

/** What really holds here: a sandbox that was asked for and cannot be had runs nothing. */
export type SandboxState =
  | { readonly type: "on"; readonly mode: Exclude<SandboxMode, "off">; readonly by: string }
  | { readonly type: "off"; readonly why: string }
  | { readonly type: "missing"; readonly why: string; readonly next: string };

/** What stands around the programs that tools start: terminal, scripts, servers. */
export interface Sandbox {
  /** Never rejects; looked for once. */
  state(): Promise<SandboxState>;
  /**
   * The same program, so started that it can do no more; where the sandbox is off, as it was. Rejects where it is missing,
   * with a sentence that names the next step.
   */
  confine(start: Start, needs?: Needs): Promise<Confined>;
  /** Ends what stands beside the programs, such as their way out. Never rejects. */
  close(): Promise<void>;
}
