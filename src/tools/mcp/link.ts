import type { Transport } from "@modelcontextprotocol/client";

/** A way to one server, for one connection. */
export interface Link {
  readonly transport: Transport;
  /** Why it ended or says nothing, as far as the way itself knows, such as the code it exited with and its last words. */
  trouble(): string | undefined;
  /** Resolves when nothing of it is left. Never rejects. */
  end(): Promise<void>;
}
