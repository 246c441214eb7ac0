import type { Clock } from "../../protocol/ports.ts";
import type { Sandbox } from "../../protocol/sandbox.ts";
import type { ToolSource } from "../../protocol/tool-source.ts";

/** The servers of one program: connected when tools are first asked for, and again when they have gone. */
export interface McpDesk extends ToolSource {
  /** What is known of each server now, by name. */
  status(): readonly ServerStatus[];
}

export interface ServerStatus {
  readonly name: string;
  /** `waiting`: it is tried again later. `off`: it is not, while this program runs. */
  readonly state: "idle" | "connecting" | "ready" | "waiting" | "off";
  /** Why it is not connected, as a sentence for its owner. */
  readonly why?: string;
  /** What is offered of it, by the names that a model knows. */
  readonly tools: readonly string[];
  /** What it lists and is not offered, by the name that it has there. */
  readonly withheld: readonly Withheld[];
}

export interface Withheld {
  readonly tool: string;
  readonly why: string;
}

export interface McpOptions {
  /** Around servers that are programs; absent: nothing is. */
  readonly sandbox?: Sandbox;
  /** Reaches servers behind an address; absent: none is. */
  readonly fetch?: typeof fetch;
  /** Where the tools work: absolute, and all that servers are told of this machine. */
  readonly folder: string;
  readonly clock: Clock;
  /** Is told once of each server that cannot be used, and why. It must not throw. */
  readonly tell?: (server: string, why: string) => void;
}
