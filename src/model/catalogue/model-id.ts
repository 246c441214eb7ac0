/** Bedrock's profiles for a part of the world. */
const REGION = /^(us-gov|us|eu|apac|jp|au|ca|in|sa|me|af|global)\.(?=[a-z])/u;

/** The part of the world in which a model is served, where its id says so. */
export const regionOf = (id: string): string | undefined => REGION.exec(id.toLowerCase())?.[1];

/**
 * What is left of an id when everything is taken off that is not the model's own name: vendor, path, region, date,
 * edition, and how numbers are written. `us.anthropic.claude-opus-4-5-20251101-v1:0`, `anthropic/claude-opus-4.5` and
 * `claude-opus-4-5-latest` are all `claude-opus-4-5`.
 */
export const plainId = (id: string): string =>
  id
    .toLowerCase()
    .replace(/^.*\//su, "")
    .replace(REGION, "")
    // A vendor with a dot behind it, as Bedrock writes them.
    .replace(/^[a-z]+\.(?=[a-z]{3})/u, "")
    .replace(/(?:-v1|-v\d+:\d+)$/u, "")
    .replace(/[@-](?:\d{8}|\d{4}-\d\d-\d\d|latest|default)$/u, "")
    // Fireworks writes 5.3 as 5p3.
    .replace(/(?<=\d)p(?=\d)/gu, "-")
    .replace(/[._:]/gu, "-");

/** Behind a colon some providers name another offer of the same model: free of charge, later, faster. */
export const withoutOffer = (id: string): string => id.replace(/(?<=.):[a-z]+$/iu, "");
