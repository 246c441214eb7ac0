/** The options of `evander` itself, as the command line gave them. */
export interface Flags {
  /** `true`: `-p` without a text, which then comes from stdin. */
  readonly prompt?: string | true;
  readonly output: "text" | "json" | "jsonl";
  readonly resume?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly cwd?: string;
  readonly maxIterations?: string;
  readonly approve?: "never" | "all" | "park";
  readonly config?: readonly string[];
  readonly version?: boolean;
  readonly verbose?: boolean;
}

export const OUTPUTS = ["text", "json", "jsonl"] as const;
export const APPROVALS = ["never", "all", "park"] as const;

/** The output form asked for, also from a command line that cannot be parsed otherwise. */
export function outputOf(argv: readonly string[]): Flags["output"] {
  const at = argv.findIndex((arg) => arg === "--output" || arg.startsWith("--output="));
  const value = at < 0 ? undefined : argv[at]?.includes("=") ? argv[at]?.slice("--output=".length) : argv[at + 1];
  return OUTPUTS.find((output) => output === value) ?? "text";
}
