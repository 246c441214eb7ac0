import { matrixTests } from "./matrix-tests.ts";

matrixTests("chat_completions");
