import type { IncomingMessage } from "node:http";
import type { Endpoint } from "./endpoint.ts";
import { failureOfNetwork } from "./failure/network.ts";

export type ModelList =
  | { readonly type: "listed"; readonly models: readonly string[] }
  /** `why` is a clause without a full stop. */
  | { readonly type: "failed"; readonly why: string };

/** A user waits for this, ms. */
const PATIENCE_MS = 1_000;
const LONGEST_LIST = 4_194_304;

/** The ids of `GET /models`, within a second. */
export async function listModels(endpoint: Endpoint, apiKey: string | undefined): Promise<ModelList> {
  const request = endpoint.request("GET", "/models", {
    accept: "application/json",
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  });
  const { promise, resolve } = Promise.withResolvers<ModelList>();
  const timer = setTimeout(() => resolve(failed("it did not answer within a second")), PATIENCE_MS);
  request.on("error", (error) =>
    resolve(failed(failureOfNetwork(error, endpoint.where, false).message.replace(/\.$/, ""))),
  );
  request.on("response", (response) => {
    let body = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      body += chunk;
      if (body.length > LONGEST_LIST) resolve(failed("its list of models does not end"));
    });
    response.on("error", () => resolve(failed("its answer broke off")));
    response.on("end", () => resolve(readList(response, body)));
  });
  request.end();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    request.destroy();
  }
}

const failed = (why: string): ModelList => ({ type: "failed", why });

function readList({ statusCode = 0 }: IncomingMessage, body: string): ModelList {
  if (statusCode === 401 || statusCode === 403) return failed(`it refused the key (HTTP ${statusCode})`);
  if (statusCode < 200 || statusCode > 299) return failed(`it answered HTTP ${statusCode}`);
  try {
    return { type: "listed", models: idsOf(JSON.parse(body)) };
  } catch {
    return failed("its answer is not a list of models");
  }
}

/** Throws a TypeError for anything but `{data: [{id}]}`. */
function idsOf(list: unknown): string[] {
  const { data } = list as { readonly data: readonly { readonly id: unknown }[] };
  return data.flatMap(({ id }) => (typeof id === "string" && id !== "" ? [id] : []));
}
