import { expect, test } from "vitest";
import { PLAIN_REQUEST } from "../../../test/support/plain-request.ts";
import { userText } from "../../protocol/message.ts";
import type { ModelRequest } from "../../protocol/ports.ts";
import type { Reader } from "../dialect.ts";
import { encodeLimits } from "./limits.ts";

const model = "claude-sonnet-4-5";
const reader: Reader = {
  provider: "anthropic",
  model,
  host: "api.anthropic.com",
  nonce: "",
  hasTools: true,
  hasSystem: true,
  maxOutput: 64_000,
  calls: new Map(),
};
const said = [userText("go")];
const limits = (more: Partial<ModelRequest>, effort?: Reader["effort"]): unknown => {
  const request = { ...PLAIN_REQUEST, provider: "anthropic", model, history: said, ...more };
  return JSON.parse(`{${encodeLimits(said, request, { ...reader, effort }).slice(1)}}`);
};

test("[ERR-11] the API, which has to be told how long a reply may be, is told no more than the window leaves", () => {
  expect(limits({})).toEqual({ max_tokens: 64_000 });
  expect(limits({ weight: { tokens: 20_000, room: 178_976 } })).toEqual({ max_tokens: 64_000 });
  expect(limits({ weight: { tokens: 150_000, room: 48_976 } })).toEqual({ max_tokens: 48_976 });
});

test("[ERR-11] also the budget for thinking has room, or there is none", () => {
  expect(limits({ weight: { tokens: 190_000, room: 8_976 } }, "high")).toMatchObject({
    max_tokens: 8_976,
    thinking: { budget_tokens: 4_880 },
  });
  expect(limits({ weight: { tokens: 194_000, room: 4_976 } }, "high")).toEqual({ max_tokens: 4_976 });
});
