import type { Clock } from "../../protocol/ports.ts";
import type { ToolSource } from "../../protocol/tool-source.ts";
import type { McpConsent, McpHttp, McpListing, McpServerSpec, McpStdio, OpenMcpLink } from "./server-spec.ts";

/** The servers of one program. They are connected when tools are first asked for. */
export interface McpDesk extends ToolSource {
  /** What is known of each server now, in the order of their names. */
  states(): readonly McpServerState[];
  /**
   * Connects one server now, whatever became of it before, and says what it lists. Rejects with what its owner is to be told,
   * also where there is no such server.
   */
  look(name: string, signal: AbortSignal): Promise<McpListing>;
}

export interface McpServerState {
  readonly name: string;
  /** `off`: it is not tried again unless somebody asks (`look`). */
  readonly state: "not-asked" | "connecting" | "connected" | "waiting" | "off";
  /** Why it is not connected. */
  readonly why?: string;
  /** Names as the model knows them. */
  readonly tools: readonly string[];
  /** Tools that are listed and not offered: by the name that the server gives them. */
  readonly withheld: readonly { readonly tool: string; readonly why: string }[];
}

export interface McpDeskOptions {
  readonly servers: readonly McpServerSpec[];
  readonly stdio: OpenMcpLink<McpStdio>;
  /** Absent: servers behind an address are refused. */
  readonly http?: OpenMcpLink<McpHttp>;
  /** Absent: all that is listed is used. */
  readonly consent?: McpConsent;
  /** Absolute: where the tools work, which is all that servers are told of this machine. */
  readonly folder: string;
  readonly clock: Clock;
  /** Is told once of each server that cannot be used, and why. It must not throw. */
  readonly tell?: (server: string, why: string) => void;
}
