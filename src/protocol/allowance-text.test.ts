import { expect, test } from "vitest";
import { readAllowance } from "./allowance-text.ts";

test("[security 3.5] an allowance names what it is for, a host or a network, and its ports", () => {
  expect(readAllowance("tool 192.168.1.0/24 8080 3000")).toEqual({
    for: "tool",
    to: "192.168.1.0/24",
    ports: [8080, 3000],
  });
  expect(readAllowance(" home HomeAssistant.local. ")).toEqual({ for: "home", to: "homeassistant.local" });
  expect(readAllowance("mcp fd00::/8")).toEqual({ for: "mcp", to: "fd00::/8" });
  const wrong =
    "|tool|tool *|tool *.a.test|all a.test|tool a.test:80|tool a.test x|tool a.test 0|tool 10.0.0.0/33|tool 5|a.test";
  for (const text of wrong.split("|")) expect([text, readAllowance(text)]).toEqual([text, undefined]);
});
