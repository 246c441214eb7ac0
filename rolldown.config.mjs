import { defineConfig } from "rolldown";

/** What `main.ts` itself imports stays apart, so that `version` loads nothing else. */
const FIRST = /\/src\/(?:cli\/(?:io|version)|config\/folders|find-model|session\/plain-text)\.ts$/u;

export default defineConfig({
  input: { main: "src/main.ts", index: "src/index.ts", testing: "src/testing/index.ts" },
  platform: "node",
  external: /^node:/,
  output: {
    dir: "dist",
    format: "esm",
    entryFileNames: "[name].js",
    // What is imported on demand stays a file of its own, so that starting loads only what it runs.
    chunkFileNames: "chunks/[name]-[hash].js",
    codeSplitting: {
      includeDependenciesRecursively: false,
      // Finding many small files costs more than reading one: what several of those share lies together.
      groups: [{ name: "common", minShareCount: 3, test: (id) => !FIRST.test(id) }],
    },
  },
});
