import type { Side } from "./client.ts";
import type { Mode } from "./script.ts";

/** Something that must hold on every dialect. */
export interface Item {
  /** The row of the features that it belongs to. */
  readonly row: string;
  readonly name: string;
  /** Dialects whose wire cannot do this, and why. */
  readonly except?: Readonly<Partial<Record<Mode, string>>>;
  /** Throws what does not hold. */
  readonly run: (side: Side) => Promise<void>;
}
