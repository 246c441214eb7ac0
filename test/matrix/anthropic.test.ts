import { matrixTests } from "./matrix-tests.ts";

matrixTests("anthropic_messages");
