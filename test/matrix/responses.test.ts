import { matrixTests } from "./matrix-tests.ts";

matrixTests("codex_responses");
