import type { Failure } from "../protocol/failure.ts";
import type { ModelReply } from "../protocol/ports.ts";
import type { Dialect } from "./dialect.ts";
import type { Endpoint } from "./endpoint.ts";

/** Where the paths of a dialect lie at a server, whose base URL may lack the version that stands above them. */
export interface Address {
  /** What helps where a server answers and is no API. A clause. */
  readonly advice: string;
  /** Asks at each place where the path may lie, until something is there; a place that gave a reply is kept. */
  seek(path: string, ask: (path: string) => Promise<ModelReply>): Promise<ModelReply>;
}

export function openAddress(endpoint: Endpoint, { version }: Dialect): Address {
  let above = versionsAbove(endpoint, version);
  return {
    advice: above.length > 1 ? `the base URL probably lacks ${version}` : "check the base URL",
    async seek(path, ask) {
      const [first = "", ...others] = above;
      const reply = await ask(`${first}${path}`);
      if (!isMisplaced(reply, endpoint.where)) return reply;
      for (const other of others) {
        const better = await ask(`${other}${path}`);
        if (better.type === "message") above = [other];
        if (!isMisplaced(better, endpoint.where)) return better;
      }
      const places = above.map((each) => endpoint.place(`${each}${path}`));
      return { ...reply, failure: withAdvice(reply.failure, places, path) };
    },
  };
}

/** What may have to stand between a base URL and a path, the likeliest first. */
export const versionsAbove = ({ versioned }: Endpoint, version: string | undefined): readonly string[] =>
  version === undefined || versioned ? [""] : ["", version];

type Failed = Extract<ModelReply, { type: "failure" }>;

/** A server that has other things, but not this path; one that lacks the model has it. */
function isMisplaced(reply: ModelReply, where: string): reply is Failed {
  if (reply.type !== "failure" || reply.partial !== undefined) return false;
  const { status, reason, message } = reply.failure;
  if (/unexpected endpoint/i.test(message)) return true;
  const isMissing = status === 405 || (status === 404 && reason === "unknown");
  return isMissing && !/model|deployment/i.test(message.replace(where, ""));
}

function withAdvice(failure: Failure, places: readonly string[], path: string): Failure {
  const [first = "", second] = places;
  const missing = second === undefined ? `it has no ${first}` : `it has neither ${first} nor ${second}`;
  const below = path.split("?")[0];
  const without = /\/v\d\w*$/.exec(first.slice(0, -(below?.length ?? 0)))?.[0];
  const perhaps = without === undefined ? "" : `, perhaps the same without ${without}`;
  const fix = `set the base URL to the address below which ${below} lies${perhaps}`;
  return { ...failure, message: `${failure.message.replace(/\.$/, "")}; ${missing}: ${fix}.` };
}
