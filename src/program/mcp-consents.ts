import { reasonOf } from "../protocol/reason-of.ts";
import { type ConsentFile, type Consents, readConsents } from "../tools/mcp/consent.ts";

/** What its owner has agreed to of servers of tools, in the folder of a profile: `NAME.json` there. */
export const CONSENTS = "mcp-consents";

/** A file that cannot be used allows nothing; `why` says so. */
export function consentsOf(file: Pick<ConsentFile, "read">): Consents & { readonly why?: string } {
  try {
    return readConsents(file.read());
  } catch (error) {
    return { kept: new Map(), damaged: new Set(["*"]), why: reasonOf(error) };
  }
}
