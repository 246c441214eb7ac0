import { refuses } from "../dialects/script.ts";
import { compacted, HOPELESS, type Expected, type Family, overloaded, retried } from "./fault.ts";
import { answers, html, page, status } from "./said.ts";

const DEEP = `{"error":${"[".repeat(20_000)}`;

const server: Expected = retried("server_error");

export const SERVERS: Family = {
  name: "5xx: the server",
  rows: ["D1", "D5", "D11"],
  faults: [
    { name: "500", expected: server, act: () => refuses("server_error") },
    { name: "500 validation", expected: HOPELESS, act: status(500, "Unsupported parameter: 'top_k'.", { code: null }) },
    {
      name: "500 context too long",
      expected: compacted("context_overflow"),
      act: status(500, "the request exceeds the available context size", { code: null }),
    },
    { name: "500 without a body", expected: server, act: () => answers(500, "application/json", "") },
    {
      name: "500 with 1 MB of words",
      expected: server,
      act: (victim) => status(500, `It broke: ${"blah ".repeat(200_000)}${victim.key}`)(victim),
    },
    {
      name: "500 with 1 MB of a page",
      expected: server,
      act: (victim) => answers(500, "text/html", page("Oops", victim).repeat(6_000)),
    },
    {
      name: "500 with a body that is no UTF-8",
      expected: server,
      act: () => answers(500, "text/plain", Buffer.from([0xff, 0xfe, 0x80, 0xc3, 0x28, 0x0a, 0xed, 0xa0, 0x80])),
    },
    {
      name: "500 with a body 20,000 brackets deep",
      expected: server,
      act: () => answers(500, "application/json", DEEP),
    },
    {
      name: "500 with a body that stops",
      expected: retried("timeout"),
      act: () => answers(500, "application/json", '{"error":', { end: "open" }),
    },
    {
      name: "500 with a body that is cut",
      expected: retried("timeout"),
      act: () => answers(500, "application/json", '{"error":', { end: "reset" }),
    },
    { name: "501", expected: server, act: status(501, "Not implemented.") },
    {
      name: "502 page of a proxy",
      expected: retried("server_error", "wait", /502.*proxy/),
      act: html(502, "502 Bad Gateway"),
    },
    { name: "503", expected: overloaded, act: () => refuses("overloaded") },
    {
      name: "503 Retry-After",
      expected: retried("overloaded", "wait 5000"),
      act: status(503, "Loading the model.", { headers: { "retry-after": "5" } }),
    },
    {
      name: "504 page of a proxy",
      expected: retried("server_error", "wait", /504/),
      act: html(504, "504 Gateway Time-out"),
    },
    {
      name: "520 of a proxy",
      expected: retried("server_error", "wait", /520/),
      act: () => answers(520, "text/plain", "error code: 520"),
    },
    { name: "524 of a proxy", expected: retried("server_error", "wait", /524/), act: html(524, "A timeout occurred") },
    { name: "529", expected: overloaded, act: status(529, "Overloaded") },
  ],
};
