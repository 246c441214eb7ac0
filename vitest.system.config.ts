import type { ViteUserConfig } from "vitest/config";

/** What needs a real sandbox: npm run test:system. */
const config: ViteUserConfig = {
  test: {
    name: "system",
    include: ["test/system/**/*.test.ts"],
    globalSetup: ["scripts/setup/vitest-program.mjs"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
};

export default config;
