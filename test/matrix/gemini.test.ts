import { matrixTests } from "./matrix-tests.ts";

matrixTests("gemini");
