import type { Config } from "../../config/config.ts";
import { exitCode } from "../../protocol/exit.ts";
import { type McpBook, McpError, type McpRow } from "../../protocol/mcp-consent.ts";
import { inBoth } from "../../protocol/sentence.ts";
import { LIST_SERVERS, logInTo, notIn, testServer } from "../../words/mcp.ts";
import type { Step } from "../../words/steps.ts";
import { lookHere } from "../config/look.ts";
import type { CommandContext } from "../context.ts";
import type { Io } from "../io.ts";
import { RefusalError, usageRefusal } from "../refusal.ts";
import { guardedFolders } from "../set-up.ts";

/** The servers of the profile, as its config names them. */
export interface Servers {
  readonly config: Config;
  readonly book: McpBook;
}

export async function serversHere({ io, adapters }: Pick<CommandContext, "io" | "adapters">): Promise<Servers> {
  const config = await lookHere(io);
  const { settings, folders } = config;
  const { cwd } = io;
  return {
    config,
    book: await adapters.openMcpBook({ settings, folders, cwd, guarded: guardedFolders(io, config, cwd) }),
  };
}

/** A name that no server has is refused. */
export async function existingServer(name: string, { book }: Servers): Promise<McpRow> {
  const rows = await book.rows();
  const row = rows.find((each) => each.name === name);
  if (row === undefined) throw usageRefusal(notIn(name, rows), { steps: [LIST_SERVERS] });
  return row;
}

const REASONS = {
  unknown: "usage_error",
  invalid: "config_invalid",
  unreachable: "tool_error",
  login: "tool_error",
  store: "store_unavailable",
} as const;

/** What cannot be done with a server is told with what helps. */
export async function withServer<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    throw new RefusalError({
      reason: REASONS[error.kind],
      code: `mcp_${error.kind}`,
      message: inBoth(error.sentence),
      steps: stepsFor(error, name),
    });
  }
}

function stepsFor({ kind }: McpError, name: string): readonly Step[] {
  switch (kind) {
    case "unknown":
    case "invalid":
      return [LIST_SERVERS];
    case "login":
      return [logInTo(name)];
    case "unreachable":
      return [testServer(name)];
    case "store":
      return [];
  }
}

/** What a person stops by a signal. */
export async function stoppable<T>(io: Io, work: (signal: AbortSignal) => Promise<T>): Promise<T | number> {
  const stop = new AbortController();
  let code: number | undefined;
  const unlisten = io.onSignal((signal) => {
    code = exitCode("interrupted_by_user", { interruptedBy: signal === "SIGINT" ? "user" : "terminate" });
    stop.abort();
  });
  try {
    return await work(stop.signal);
  } catch (error) {
    if (code === undefined) throw error;
    return code;
  } finally {
    unlisten();
  }
}
