import { readFileSync } from "node:fs";
import { defineConfig } from "rolldown";

const { dependencies } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
const installed = Object.keys(dependencies);

export default defineConfig({
  input: { main: "src/main.ts", index: "src/index.ts", testing: "src/testing/index.ts" },
  platform: "node",
  external: (id) => id.startsWith("node:") || installed.some((name) => id === name || id.startsWith(`${name}/`)),
  output: {
    dir: "dist",
    format: "esm",
    entryFileNames: "[name].js",
    // What is imported on demand stays a file of its own, so that starting loads only what it runs.
    chunkFileNames: "chunks/[name]-[hash].js",
  },
});
