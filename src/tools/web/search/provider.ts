import type { EgressRequest, EgressResponse } from "../../../protocol/egress.ts";

export interface Wanted {
  readonly query: string;
  /** Results. */
  readonly count: number;
}

/** What its owner has set of a provider. */
export interface Access {
  readonly key?: string;
  /** Of a server of one's own. */
  readonly url?: string;
}

export interface Found {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/**
 * Why a provider found nothing: `limited`: too many requests; `quota`: what was paid for is used up; `key`: the key is
 * refused; `robot`: a person is asked for; `format`: it answers, but not as it should.
 */
export type SearchFault = "limited" | "quota" | "key" | "robot" | "down" | "format";

export type SearchAnswer =
  | { readonly type: "found"; readonly results: readonly Found[] }
  | { readonly type: "failed"; readonly fault: SearchFault; readonly status: number };

/** How one search service is asked and read; sends nothing itself. */
export interface SearchProvider {
  /** As people know it. */
  readonly label: string;
  request(wanted: Wanted, access: Access): Pick<EgressRequest, "url" | "method" | "headers" | "body">;
  read(response: Pick<EgressResponse, "status" | "body">): SearchAnswer;
}

export const failed = (fault: SearchFault, status: number): SearchAnswer => ({ type: "failed", fault, status });

/** By its status alone; undefined: it has answered. */
export function faultOf(status: number): SearchFault | undefined {
  if (status === 401 || status === 403) return "key";
  if (status === 402) return "quota";
  if (status === 429) return "limited";
  if (status >= 500) return "down";
  return status >= 200 && status < 300 ? undefined : "format";
}
