import { isObject } from "../../../protocol/json.ts";
import type { Found, SearchAnswer } from "./provider.ts";
import { failed } from "./provider.ts";
import { plainLine } from "./plain-line.ts";

/** Names of the fields of one result. */
interface Fields {
  readonly title: string;
  readonly url: string;
  /** The first that says something. */
  readonly snippet: readonly string[];
}

/** A JSON answer whose list of results is found by `list`; what has no address is left out. */
export function resultsIn(
  { status, body }: { readonly status: number; readonly body: Uint8Array },
  list: (answer: Readonly<Record<string, unknown>>) => unknown,
  fields: Fields,
): SearchAnswer {
  const answer = objectIn(body);
  const items = answer && list(answer);
  if (!Array.isArray(items)) return failed("format", status);
  return { type: "found", results: items.flatMap((item: unknown) => foundIn(item, fields)) };
}

/** Undefined for what is no JSON object. */
export function objectIn(body: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(body));
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function foundIn(item: unknown, { title, url, snippet }: Fields): Found[] {
  if (!isObject(item)) return [];
  const address = item[url];
  if (typeof address !== "string" || !/^https?:\/\/\S+$/iu.test(address)) return [];
  const said = snippet.map((name) => textOf(item[name])).find((text) => text !== "") ?? "";
  return [{ title: textOf(item[title]) || address, url: address, snippet: said }];
}

/** A list of pieces is one text. */
function textOf(value: unknown): string {
  if (typeof value === "string") return plainLine(value);
  return Array.isArray(value)
    ? value
        .map(textOf)
        .filter((text) => text !== "")
        .join(" … ")
    : "";
}
