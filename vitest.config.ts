import type { ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = {
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "bench/**/*.test.ts", "test/**/*.test.ts"],
          exclude: ["test/{cli,matrix,scenario,toolchain}/**"],
          testTimeout: 15_000,
        },
      },
      {
        test: {
          name: "program",
          include: ["test/{cli,matrix,scenario,toolchain}/**/*.test.ts"],
          globalSetup: ["scripts/setup/vitest-program.mjs"],
          testTimeout: 60_000,
        },
      },
    ],
  },
};

export default config;
