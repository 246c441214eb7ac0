import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { defineConfig } from "rolldown";

/**
 * Lays in one chunk what is loaded together with a module: all that it imports, and what those import.
 * @param {string} entry
 * @returns {import("rolldown").CodeSplittingGroup}
 */
function loadedWith(entry) {
  const name = basename(entry, ".ts");
  /** @type {Set<string> | undefined} */
  let modules;
  return {
    debugName: name,
    name: (id, context) => {
      if (modules === undefined) {
        modules = new Set([join(import.meta.dirname, entry)]);
        // What is added on the way is walked through as well.
        for (const module of modules)
          for (const needed of context.getModuleInfo(module)?.importedIds ?? []) modules.add(needed);
      }
      // An entry waits for what it loads later, which must not wait for it.
      return modules.has(id) && context.getModuleInfo(id)?.isEntry !== true ? name : null;
    },
  };
}

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

const BUILTIN = /^import (?:([\w$]+)(?:, )?)?(?:\{([^}]+)\})? from "(node:[\w/]+)";$/gmu;

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
        const taken = [whole, names && `{${names.replaceAll(" as ", ": ")}}`].filter(Boolean);
        return taken.map((name) => `const ${name} = ${from};`).join(" ");
      },
    ),
};

/** What the dialects share is loaded with the one that is spoken, without what other commands share. */
const MODEL = {
  name: "model",
  test: /\/(?:src\/(?:model|protocol)|eventsource-parser)\//u,
  minShareCount: 2,
  priority: 1,
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
  // Node reads all of a file before it runs any of it: no spaces and comments for it, but every name for stack traces.
  minify: /** @type {const} */ ({ compress: false, mangle: false, codegen: true }),
};

/**
 * The library and the program each have all they need, so that each starts with few files of its own: finding many small
 * ones costs more than reading one. What is imported on demand stays apart.
 */
export default defineConfig([
  {
    ...shared,
    input: { index: "src/index.ts", testing: "src/testing.ts" },
    output: {
      ...output,
      chunkFileNames: "library/[name]-[hash].js",
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [{ ...loadedWith("src/index.ts"), priority: 2 }, MODEL],
      },
    },
  },
  {
    ...shared,
    input: { main: "src/main.ts" },
    output: {
      ...output,
      chunkFileNames: "program/[name]-[hash].js",
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [
          // `version` loads nothing else.
          { ...loadedWith("src/main.ts"), priority: 3 },
          { ...loadedWith("src/program/run-program.ts"), priority: 2 },
          MODEL,
          { name: "common", minShareCount: 2 },
        ],
      },
    },
  },
]);
