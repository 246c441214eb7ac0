import type { ViteUserConfig } from "vitest/config";

/** One test here may run for an hour on a slow machine; a longer one hangs. */
const LIMIT_MS = 3_600_000;

/** Long runs of what the tests do shortly: npm run test:soak. One file at a time, since each takes the whole machine. */
const config: ViteUserConfig = {
  test: {
    name: "soak",
    include: ["test/soak/**/*.test.ts"],
    globalSetup: ["scripts/setup/vitest-program.mjs"],
    fileParallelism: false,
    passWithNoTests: true,
    execArgv: ["--expose-gc"],
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
  },
};

export default config;
