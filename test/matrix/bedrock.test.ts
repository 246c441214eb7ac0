import { matrixTests } from "./matrix-tests.ts";

matrixTests("bedrock_converse");
