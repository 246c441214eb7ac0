import { versionsAbove } from "./address.ts";
import { type Answer, ask } from "./ask.ts";
import { authorise } from "./authorise.ts";
import type { Dialect } from "./dialect.ts";
import { failureOfStatus } from "./failure/refusal.ts";
import type { Endpoint } from "./endpoint.ts";
import { failureOfNetwork } from "./failure/network.ts";

export type ModelList =
  | { readonly type: "listed"; readonly models: readonly string[] }
  | {
      readonly type: "failed";
      /** `rejected`: the key; `unreachable`: nobody answered. */
      readonly cause: "rejected" | "unreachable" | "other";
      /** A clause without a full stop. */
      readonly why: string;
    };

/** A user waits for this, ms. */
const PATIENCE_MS = 1_000;
const LONGEST_LIST = 4_194_304;

/** The ids of the models that a server lists, within a second. */
export async function listModels(endpoint: Endpoint, dialect: Dialect, apiKey: string | undefined): Promise<ModelList> {
  const { listing, listed = idsOf, version } = dialect;
  if (listing === undefined) return { type: "failed", cause: "other", why: "it has no list of models" };
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const [first = "", other] = versionsAbove(endpoint, version);
  const answer = await askFor(`${first}${listing}`, { endpoint, dialect, apiKey, signal });
  const read = readList(answer, endpoint.where, listed);
  if (other === undefined || read.type === "listed" || answer.type === "silent") return read;
  const better = await askFor(`${other}${listing}`, { endpoint, dialect, apiKey, signal });
  const second = readList(better, endpoint.where, listed);
  return second.type === "listed" ? second : read;
}

interface Asking {
  readonly endpoint: Endpoint;
  readonly dialect: Dialect;
  readonly apiKey: string | undefined;
  readonly signal: AbortSignal;
}

async function askFor(path: string, { endpoint, dialect, apiKey, signal }: Asking): Promise<Answer> {
  const { headers } = dialect.route({ model: "", streaming: false });
  const asked = { method: "GET", url: endpoint.url(path), body: new Uint8Array() } as const;
  const vouching = await authorise(dialect, apiKey, asked);
  return ask(endpoint.request("GET", path, { ...headers, ...vouching }), undefined, { signal, longest: LONGEST_LIST });
}

function readList(answer: Answer, where: string, listed: NonNullable<Dialect["listed"]>): ModelList {
  if (answer.type === "silent") {
    const { error } = answer;
    const why = error === undefined ? "it did not answer within a second" : networkWords(error, where);
    return { type: "failed", cause: "unreachable", why };
  }
  const { status } = answer;
  if (status === 401 || status === 403) return { type: "failed", cause: "rejected", why: refusedKey(answer, where) };
  if (status < 200 || status > 299) return { type: "failed", cause: "other", why: `it answered HTTP ${status}` };
  const models = answer.type === "json" ? listed(answer.json) : undefined;
  if (models !== undefined) return { type: "listed", models };
  const why = answer.type === "json" ? "its answer is not a list of models" : answer.why;
  return { type: "failed", cause: "other", why };
}

const networkWords = (error: Error, where: string): string =>
  failureOfNetwork(error, where, { begun: false }).message.replace(/\.$/, "");

/** With the provider's own words. */
function refusedKey(answer: Extract<Answer, { status: number }>, where: string): string {
  const body = answer.type === "json" ? JSON.stringify(answer.json) : "";
  const { message } = failureOfStatus({ status: answer.status, headers: {}, body, where, nowMs: 0 });
  return `it refused the key (${message.replace(/\.$/, "")})`;
}

/** Undefined for anything but `{data: [{id}]}`. */
function idsOf(list: unknown): readonly string[] | undefined {
  const data = (list as { readonly data?: unknown } | null)?.data;
  if (!Array.isArray(data)) return undefined;
  return data.flatMap((entry: { readonly id?: unknown } | null) =>
    typeof entry?.id === "string" && entry.id !== "" ? [entry.id] : [],
  );
}
