import type { Rung } from "./rung.ts";

/** How many tools one model may be asked without. */
const MAX_TOOLS = 6;

/** One tool that a server does not take costs that tool and not the turn [MCP-01]. */
export const leaveToolOut: Rung = ({ refusesTool }, { adjusted: { withoutTools = [] } }) =>
  refusesTool !== undefined && !withoutTools.includes(refusesTool) && withoutTools.length < MAX_TOOLS
    ? { do: "adjust-request", adjustment: { withoutTool: refusesTool } }
    : undefined;
