import { sanitiseQuery } from "../../../src/store/sqlite/search-query.ts";
import { type Json } from "../case-file.ts";
import { objectOf, textOf } from "../input.ts";

/** `{query}`; what is left of it is searched. */
export const searchQueryCase = (input: Json): unknown => ({
  sanitised: sanitiseQuery(textOf(objectOf(input, "input")["query"], "query")),
});
