import type { ViteUserConfig } from "vitest/config";

/** A test that takes longer hangs; none is near it, also where a machine is several times slower than ours. */
const LIMIT_MS = 60_000;
/** The same, for tests that start the program several times. */
const PROGRAM_LIMIT_MS = 180_000;
/** What is waited for comes when it comes: only a test that hangs gives up, and it then says what it waited for. */
const POLL = { poll: { timeout: LIMIT_MS - 10_000 } };

const config: ViteUserConfig = {
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "bench/**/*.test.ts", "test/**/*.test.ts"],
          exclude: ["test/{soak,system}/**", "test/{cli,durability,matrix,scenario,toolchain}/**"],
          testTimeout: LIMIT_MS,
          expect: POLL,
          hookTimeout: LIMIT_MS,
        },
      },
      {
        test: {
          name: "program",
          include: ["test/{cli,durability,matrix,scenario,toolchain}/**/*.test.ts"],
          globalSetup: ["scripts/setup/vitest-program.mjs"],
          testTimeout: PROGRAM_LIMIT_MS,
          expect: POLL,
          hookTimeout: PROGRAM_LIMIT_MS,
        },
      },
    ],
  },
};

export default config;
