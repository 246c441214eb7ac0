import type { Dialect } from "../dialect.ts";
import { converseEvents } from "./decode.ts";
import { encodeNext, encodeOpening, encodeTail } from "./encode.ts";
import { failureOfError, failureOfStatus } from "./failure.ts";
import { awsFrames } from "./frames.ts";
import { listed } from "./models.ts";
import { awsKeys, signedHeaders } from "./sign.ts";

/** Amazon Bedrock's Converse and ConverseStream. */
export const bedrockConverse: Dialect = {
  mode: "bedrock_converse",
  route: ({ model, streaming }) => ({
    path: `/model/${encodeURIComponent(model)}/${streaming ? "converse-stream" : "converse"}`,
    headers: { accept: streaming ? "application/vnd.amazon.eventstream" : "application/json" },
  }),
  listing: "/foundation-models?byOutputModality=TEXT&byInferenceType=ON_DEMAND",
  listedAt: (baseUrl) => baseUrl.replace("//bedrock-runtime", "//bedrock"),
  listed,
  authorisation: (key) => (awsKeys(key) === undefined ? { authorization: `Bearer ${key}` } : {}),
  sign: (key, request) => {
    const keys = awsKeys(key);
    return keys && signedHeaders(keys, request);
  },
  // The API has no word for it.
  forbidsCalls: () => false,
  encodeOpening,
  encodeMessage: encodeNext,
  encodeTail,
  frames: awsFrames,
  events: converseEvents,
  failureOfStatus,
  failureOfError,
};
