import { gzipSync } from "node:zlib";
import { type Act, raw } from "../dialects/script.ts";
import { type Family, harmless, noReply, overloaded, type Victim } from "./fault.ts";
import { answers, errorBody, halfBytes, HELLO, page, replyBytes, typeOfReply } from "./said.ts";

const inAStream = (victim: Victim): Act =>
  raw({ headers: { "content-type": typeOfReply(victim) }, frames: replyBytes(victim, HELLO) });

export const BODIES: Family = {
  name: "200: bodies that are no reply",
  rows: ["C7", "D11"],
  faults: [
    { name: "200 and nothing", expected: noReply(), act: (victim) => answers(200, typeOfReply(victim), "") },
    { name: "204", expected: noReply(), act: () => raw({ status: 204, frames: [] }) },
    {
      name: "200 page of a proxy",
      expected: noReply(/web page/),
      act: (victim) => answers(200, "text/html", page("Sign in", victim)),
    },
    { name: "200 plain words", expected: noReply(), act: () => answers(200, "text/plain", "It works!") },
    {
      name: "200 JSON that is no reply",
      expected: noReply(),
      act: () => answers(200, "application/json", '{"hello":"world"}'),
    },
    { name: "200 JSON null", expected: noReply(), act: () => answers(200, "application/json", "null") },
    {
      name: "200 JSON that is an error",
      expected: overloaded,
      act: ({ mode }) =>
        answers(
          200,
          "application/json",
          JSON.stringify(
            mode === "bedrock_converse"
              ? { error: { type: "ServiceUnavailableException", message: "Overloaded." } }
              : errorBody(mode, mode === "anthropic_messages" ? 529 : 503, "The model is overloaded."),
          ),
        ),
    },
    {
      name: "200 truncated JSON",
      expected: noReply(),
      act: (victim) => answers(200, "application/json", Buffer.concat(halfBytes({ ...victim, way: "whole" }))),
    },
    {
      name: "200 compressed",
      expected: noReply(/compressed/),
      act: (victim) =>
        answers(200, typeOfReply(victim), gzipSync(Buffer.concat(replyBytes(victim, HELLO))), {
          headers: { "content-encoding": "gzip" },
        }),
    },
    {
      name: "200 bytes of a picture",
      expected: noReply(),
      act: (victim) =>
        answers(200, typeOfReply(victim), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00])),
    },
    {
      name: "200 under a wrong content type",
      expected: harmless(),
      act: (victim) => raw({ headers: { "content-type": "text/html" }, frames: replyBytes(victim, HELLO) }),
    },
    {
      name: "200 in one piece where a stream was asked for",
      expected: harmless(),
      act: () => ({ ...HELLO, whole: true }),
      impossible: ({ way }) => (way === "stream" ? undefined : "it is what was asked for"),
    },
    {
      name: "200 a stream where one piece was asked for",
      expected: harmless(),
      act: (victim) => inAStream({ ...victim, way: "stream" }),
      impossible: ({ way }) => (way === "whole" ? undefined : "it is what was asked for"),
    },
  ],
};
