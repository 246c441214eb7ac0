import { type BorrowedKey, type KeyHold } from "../../../src/protocol/keys.ts";
import { statusAfter } from "../../../src/credentials/cool-down.ts";
import { fingerprintOf, isUsable, withBorrowed } from "../../../src/credentials/entry.ts";
import { openKeyRing } from "../../../src/credentials/key-ring.ts";
import { toMatch } from "../../../src/model/failure/facts.ts";
import { failureOfStatus } from "../../../src/model/failure/refusal.ts";
import { waitInWords } from "../../../src/model/failure/wait-in-words.ts";
import type { Failure } from "../../../src/protocol/failure.ts";
import { apply } from "../../../src/turn/apply.ts";
import { recover } from "../../../src/turn/recovery/ladder.ts";
import { initialState, type TurnState, UNATTENDED } from "../../../src/turn/state.ts";
import type { Json, JsonObject } from "../case-file.ts";
import { listOf, numberOf, objectOf, textOf, textOrNone } from "../input.ts";

const NOW_MS = 1_800_000_000_000;
/** Before the instants that are recorded. */
const RECORDED_MS = 1_796_500_000_000;
/** With which a server gives a reason. */
const STATUS: Readonly<Record<string, number>> = { billing: 402, rate_limit: 429, auth: 401 };

const refused = (status: number, body: unknown, nowMs = NOW_MS): Failure =>
  failureOfStatus({ status, headers: {}, body: JSON.stringify(body), where: "h", nowMs });

const secretOf = (id: string): string => `secret-of-${id}`;

/** `{entries, current, reason, status_code?, has_retried, error_context?}`: what is done about a failure. */
export async function poolRecoveryCase(input: Json): Promise<unknown> {
  const given = objectOf(input, "input");
  if (given["op"] !== undefined) return refreshCap(given);
  const ids = listOf(given["entries"], "entries").map((entry) => textOf(objectOf(entry, "entry")["id"], "id"));
  const here: BorrowedKey[] = ids.map((id) => ({ secret: secretOf(id), source: id }));
  const around = { provider: "p", baseUrl: "http://h", now: () => NOW_MS, random: () => 0 };
  const hold = openKeyRing({ ...around, here })?.hold();
  if (hold === undefined) throw new Error("these entries are no pool");
  const context = given["error_context"] === undefined ? {} : objectOf(given["error_context"], "error_context");
  const status = given["status_code"] ?? STATUS[textOrNone(given["reason"])];
  const failure = refused(numberOf(status, "status"), {
    error: { code: textOrNone(context["reason"]), message: textOrNone(context["message"]) },
  });
  const key = fingerprintOf(secretOf(textOf(given["current"], "current")));
  return recovery(hold, { failure, key, ids, hasRetried: given["has_retried"] === true });
}

interface Blamed {
  readonly failure: Failure;
  readonly key: string;
  readonly ids: readonly string[];
  readonly hasRetried: boolean;
}

async function recovery(hold: KeyHold, { failure, key, ids, hasRetried }: Blamed): Promise<unknown> {
  const sent = { provider: "p", model: "m", key };
  const before = hold.look(sent);
  const state = failed(failure, key, { limited: hasRetried });
  state.circumstances = { chainLeft: 0, ...(before && { keys: before }) };
  const action = recover(failure, state);
  const to = action?.do === "rotate-key" ? await hold.rotate(sent, failure) : undefined;
  if (action?.do === "wait-and-retry") apply(state, { type: "retry-scheduled", delayMs: action.delayMs, untilMs: 0 });
  const nameOf = (fingerprint: string): string | undefined =>
    ids.find((id) => fingerprintOf(secretOf(id)) === fingerprint);
  const marked: string[] = [];
  for (const id of ids) if (hold.look({ ...sent, key: fingerprintOf(secretOf(id)) })?.spent === true) marked.push(id);
  const current = to === undefined ? {} : { current: nameOf(to) };
  return { recovered: to !== undefined, has_retried: state.limited, ...current, marked };
}

/** `{prior_successful_refreshes_this_turn, refresh_succeeds}` of a granted key that was refused. */
function refreshCap(given: JsonObject): unknown {
  const prior = numberOf(given["prior_successful_refreshes_this_turn"], "prior_successful_refreshes_this_turn");
  const failure = refused(401, { error: { message: "expired" } });
  const state = failed(failure, "k", { refreshes: { k: prior } });
  state.circumstances = { chainLeft: 0, keys: { size: 1, usable: 0, refreshable: true } };
  return { recovered: recover(failure, state)?.do === "refresh-key" && given["refresh_succeeds"] === true };
}

function failed(failure: Failure, key: string, more: Partial<TurnState>): TurnState {
  const setup = { model: "m", provider: "p", maxIterations: 9, approvals: "never", ...UNATTENDED } as const;
  return Object.assign(initialState(setup, []), { failure, failures: 1, key, ...more });
}

/** `{value}`: when a server says that a key returns; `{message}`: how long a text asks to wait. */
export function poolResetCase(input: Json): unknown {
  const { value, message } = objectOf(input, "input");
  if (value === undefined) {
    const waitMs = waitInWords(toMatch(textOf(message, "message")));
    return { delay_seconds: waitMs === undefined ? null : waitMs / 1_000 };
  }
  const failure = refused(429, { error: { message: "slow down", resets_at: value } }, RECORDED_MS);
  return { epoch_seconds: untilMs(failure, RECORDED_MS) / 1_000 };
}

/** `{status_code}`: how long a key rests where nobody says how long. */
export function poolCoolDownCase(input: Json): unknown {
  const status = numberOf(objectOf(input, "input")["status_code"], "status_code");
  return { seconds: untilMs(refused(status, { error: { message: "no" } }), 0) / 1_000 };
}

/** `{status, last_error_code, age_s}`: whether a key can be sent. */
export function poolAvailableCase(input: Json): unknown {
  const { last_error_code: status, age_s: age } = objectOf(input, "input");
  const sinceMs = NOW_MS - numberOf(age, "age_s") * 1_000;
  const failure = refused(numberOf(status, "last_error_code"), { error: { message: "no" } });
  const [entry] = withBorrowed([], [{ secret: secretOf("a"), source: "a" }]);
  if (entry === undefined) throw new Error("there is no key");
  return { selectable: isUsable({ ...entry, status: statusAfter(failure, sinceMs) }, NOW_MS) };
}

function untilMs(failure: Failure, nowMs: number): number {
  const status = statusAfter(failure, nowMs);
  return status.state === "exhausted" ? status.untilMs : Infinity;
}
