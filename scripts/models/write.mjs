// One model a line, so that what changed between two snapshots can be read; and each line a text of its own, so that the
// program reads the few that it needs and no others.

/**
 * @param {{ asOf: string, source: string } & import("./read.mjs").Models} snapshot
 * @returns {string}
 */
export function snapshotText({ providers, ...rest }) {
  const head = Object.entries(rest).map(([key, value]) => `${JSON.stringify(key)}: ${tableText(value)},`);
  const blocks = Object.entries(providers).map(
    ([name, { ways, models }]) =>
      `${JSON.stringify(name)}: {"ways": ${JSON.stringify(ways)}, "models": [\n${lines(models)}\n]}`,
  );
  return `{\n${head.join("\n")}\n"providers": {\n${blocks.join(",\n")}\n}\n}\n`;
}

/**
 * @param {unknown} value
 * @returns {string}
 */
const tableText = (value) =>
  Array.isArray(value) ? `[\n${value.map((row) => JSON.stringify(row)).join(",\n")}\n]` : JSON.stringify(value);

/**
 * @param {Record<string, unknown>} models
 * @returns {string}
 */
const lines = (models) =>
  Object.entries(models)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, model]) => JSON.stringify(`${id} ${JSON.stringify(model)}`))
    .join(",\n");
