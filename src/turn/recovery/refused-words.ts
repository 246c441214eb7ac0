import type { Rung } from "./rung.ts";

/** How many parameters one model may be asked without. */
export const MAX_PARAMETERS = 6;

/** A parameter that the model does not take is left out; one that has another name is sent under that. */
export const leaveOut: Rung = ({ refusesParameter }, { adjusted: { without = [] } }) =>
  refusesParameter !== undefined && !without.includes(refusesParameter) && without.length < MAX_PARAMETERS
    ? { do: "adjust-request", adjustment: { without: refusesParameter } }
    : undefined;

/** Tools are told without the words that a server cannot make a grammar of, once (hermes.md §9.2, step 12). */
export const simplifySchemas: Rung = ({ refusesSchemaWords }, { adjusted }) =>
  refusesSchemaWords === true && adjusted.schemaWords !== false
    ? { do: "adjust-request", adjustment: { schemaWords: false } }
    : undefined;

/** An account that may not use what a header asks for is served without it, once (hermes.md §9.2, step 8). */
export const dropBetas: Rung = ({ reason }, { adjusted }) =>
  reason === "oauth_long_context_beta_forbidden" && adjusted.betas !== false
    ? { do: "adjust-request", adjustment: { betas: false } }
    : undefined;
