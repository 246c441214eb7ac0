import { readFileSync } from "node:fs";
import { defineConfig } from "rolldown";

/** What `main.ts` itself imports stays apart, so that `version` loads nothing else. */
const FIRST = /\/src\/(?:cli\/(?:io|version)|config\/folders|find-model|session\/plain-text)\.ts$/u;

/** Data is shipped as text that JSON.parse reads: as code it takes more than twice as long to load. */
const dataAsText = {
  name: "data-as-text",
  /** @param {string} id */
  load(id) {
    if (!id.endsWith(".json")) return null;
    const text = JSON.stringify(JSON.parse(readFileSync(id, "utf8")));
    return { code: `export default JSON.parse(${JSON.stringify(text)});`, moduleType: /** @type {const} */ ("js") };
  },
};

const BUILTIN = /^import (?:([\w$]+)|\{([^}]+)\}) from "(node:[\w/]+)";$/gmu;

/**
 * Takes what Node brings without an import: that reads every export of the module, and some of them load half of Node
 * (several ms in all). `process` alone is there already, and may be the name that is being declared.
 */
const builtins = {
  name: "builtins",
  /** @param {string} code */
  renderChunk: (code) =>
    code.replaceAll(
      BUILTIN,
      (_line, /** @type {string} */ whole, /** @type {string} */ names, /** @type {string} */ id) => {
        const from = id === "node:process" ? "globalThis.process" : `globalThis.process.getBuiltinModule("${id}")`;
        return `const ${whole ?? `{${names.replaceAll(" as ", ": ")}}`} = ${from};`;
      },
    ),
};

const shared = {
  platform: /** @type {const} */ ("node"),
  external: /^node:/,
  plugins: [dataAsText, builtins],
};
const output = {
  dir: "dist",
  format: /** @type {const} */ ("esm"),
  entryFileNames: "[name].js",
};

/**
 * The library and the program each have all they need, so that each starts with few files of its own: finding many small
 * ones costs more than reading one. What is imported on demand stays apart.
 */
export default defineConfig([
  {
    ...shared,
    input: { index: "src/index.ts", testing: "src/testing/index.ts" },
    output: { ...output, chunkFileNames: "library/[name]-[hash].js" },
  },
  {
    ...shared,
    input: { main: "src/main.ts" },
    output: {
      ...output,
      chunkFileNames: "program/[name]-[hash].js",
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [{ name: "common", minShareCount: 2, test: (id) => !FIRST.test(id) }],
      },
    },
  },
]);
