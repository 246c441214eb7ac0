import { expect, test } from "vitest";
import { readAllowance } from "./allowance-text.ts";

test("[E9] an allowance is a purpose, a host or a network, and ports; anything else is none", () => {
  expect(readAllowance("tool 192.168.1.0/24 8080")).toEqual({ for: "tool", to: "192.168.1.0/24", ports: [8080] });
  expect(readAllowance(" home  HomeAssistant.local. ")).toEqual({ for: "home", to: "homeassistant.local" });
  expect(readAllowance("mcp fd00::/8 80 443")).toEqual({ for: "mcp", to: "fd00::/8", ports: [80, 443] });
  for (const text of [
    "",
    "tool",
    "all localhost",
    "tool *.local",
    "tool 10.0.0.0/40",
    "tool localhost 0",
    "tool http://h/",
  ])
    expect([text, readAllowance(text)]).toEqual([text, undefined]);
});
