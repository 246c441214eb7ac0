import { readGuardrails } from "../../../src/config/guardrails.ts";
import { type Guardrails, UNATTENDED_GUARDRAILS } from "../../../src/protocol/guardrails.ts";
import { SHARED } from "../../../src/protocol/tool.ts";
import { digestOf, signatureOf } from "../../../src/tools/fingerprint.ts";
import { judgeResult } from "../../../src/tools/judge-result.ts";
import {
  afterCall,
  beforeCall,
  count,
  newGuard,
  type Observed,
  repeatedLookUps,
} from "../../../src/turn/guardrails.ts";
import type { OpenCall } from "../../../src/turn/state.ts";
import type { Json, JsonObject } from "../case-file.ts";
import { listOf, objectOf, textOf } from "../input.ts";

/** Read-only tools of hermes.md §15; a tool author declares the same to us by `effect: "pure"`. */
const READ_ONLY: ReadonlySet<string> = new Set([
  "read_file",
  "search_files",
  "web_search",
  "web_extract",
  "session_search",
  "browser_snapshot",
  "browser_console",
  "browser_get_images",
  ...["read_file", "read_text_file", "read_multiple_files", "list_directory", "list_directory_with_sizes"].map(
    (name) => `mcp_filesystem_${name}`,
  ),
  ...["directory_tree", "get_file_info", "search_files"].map((name) => `mcp_filesystem_${name}`),
]);

const NAMES: readonly (readonly [keyof Guardrails, string, readonly [string, string] | undefined])[] = [
  ["warnings", "warnings_enabled", undefined],
  ["hardStop", "hard_stop_enabled", undefined],
  ["exactFailureWarnAfter", "exact_failure_warn_after", ["warn_after", "exact_failure"]],
  ["exactFailureStopAfter", "exact_failure_block_after", ["hard_stop_after", "exact_failure"]],
  ["sameToolFailureWarnAfter", "same_tool_failure_warn_after", ["warn_after", "same_tool_failure"]],
  ["sameToolFailureStopAfter", "same_tool_failure_halt_after", ["hard_stop_after", "same_tool_failure"]],
  ["noProgressWarnAfter", "no_progress_warn_after", ["warn_after", "idempotent_no_progress"]],
  ["noProgressStopAfter", "no_progress_block_after", ["hard_stop_after", "idempotent_no_progress"]],
];

/** Recorded settings in our names; the reference's own defaults are those of a session somebody attends. */
function settingsOf(config: JsonObject): Guardrails {
  const given = NAMES.map(([ours, flat, nested]) => {
    const [group = "", key = ""] = nested ?? [];
    const inner = config[group];
    return [ours, config[flat] ?? (inner === undefined ? undefined : objectOf(inner, group)[key])] as const;
  });
  return { ...UNATTENDED_GUARDRAILS, hardStop: false, ...readGuardrails(Object.fromEntries(given)) };
}

/** `{config}`: every setting as it holds in the end. */
export function guardrailConfigCase(input: Json): unknown {
  const settings = settingsOf(objectOf(objectOf(input, "input")["config"], "config"));
  return Object.fromEntries(NAMES.map(([ours, theirs]) => [theirs, settings[ours]]));
}

function openCall(name: string, input: JsonObject, more: Partial<OpenCall["inspection"]> = {}): OpenCall {
  const raw = JSON.stringify(input);
  const effect = READ_ONLY.has(name) ? "pure" : "effect";
  return {
    part: { type: "tool-call", callId: "c", name, input: raw },
    seq: 0,
    inspection: { claim: SHARED, effect, signature: signatureOf(raw, input), ...more },
    started: true,
    approval: "unasked",
  };
}

/**
 * `{config, steps}`: what is said of each call before it runs and after. The recorded controller remembers the first call
 * it refused (`halt_code`) and leaves a halt after a call to the loop around it.
 */
export function guardrailsCase(input: Json): unknown {
  const { config, steps } = objectOf(input, "input");
  const limits = settingsOf(objectOf(config, "config"));
  const counts = newGuard();
  const decisions = listOf(steps, "steps").map((step) => {
    const { op, tool, args, result, failed } = objectOf(step, "step");
    const call = openCall(textOf(tool, "tool"), objectOf(args, "args"));
    if (op === "before_call") return beforeCall(counts, call, limits);
    const text = textOf(result, "result");
    const observed: Observed = { status: "ok", digest: digestOf(text), ...(failed === true && { failed }) };
    const decision = afterCall(counts, call, observed, limits);
    count(counts, call, observed);
    return decision;
  });
  const refused = decisions.find(({ action }) => action === "block");
  return { decisions, halt_code: refused?.code ?? null };
}

/** `{tool, result}`: a result of none is an empty one to us, and one that is no text its JSON. */
export function toolFailureCase(input: Json): unknown {
  const { result = null } = objectOf(input, "input");
  const text = typeof result === "string" ? result : result === null ? "" : JSON.stringify(result);
  return { failed: judgeResult(text).failed };
}

/** `{calls}`, one after the other: which are refused. */
export function repeatLookupCase(input: Json): unknown {
  const counts = newGuard();
  const blocked = listOf(objectOf(input, "input")["calls"], "calls").map((entry) => {
    const [name, args] = listOf(entry, "call");
    const call = openCall(textOf(name, "name"), objectOf(args, "args"), { external: true });
    const refused = repeatedLookUps(counts, [call]).length > 0;
    if (!refused) count(counts, call, { status: "ok" });
    return refused;
  });
  return { blocked };
}
