import { createHash, createHmac } from "node:crypto";
import type { Asked } from "../support/fake-server.ts";
import { brokenRules, textOf } from "./shape.ts";

/** The one key pair that the fake knows. */
export const AWS_KEYS: { readonly accessKeyId: string; readonly secretAccessKey: string } = {
  accessKeyId: "AKIDFAKE",
  secretAccessKey: "fake-secret",
};

/** What is wrong with how a request is signed (AWS Signature, version 4); a bearer token needs no signature. */
export function signatureTroubles({ path, headers, bytes }: Asked): readonly string[] {
  const { authorization = "" } = headers;
  if (/^Bearer \S+$/.test(authorization)) return [];
  const [, key = "", scope = "", names = "", signature] = PATTERN.exec(authorization) ?? [];
  if (signature === undefined) return ["the request is not signed, and carries no bearer token"];
  const [day = "", region = "", service = ""] = scope.split("/");
  const signed = names.split(";");
  const time = textOf(headers["x-amz-date"]);
  const unsigned = ["host", "x-amz-date"].filter((name) => !signed.includes(name));
  const text = canonical(
    path,
    signed.map((name) => [name, textOf(headers[name])] as const),
    bytes,
  );
  const due = sign([day, region, service, "aws4_request"], ["AWS4-HMAC-SHA256", time, scope, sha256(text)].join("\n"));
  const bodyHash = headers["x-amz-content-sha256"];
  return brokenRules(
    [key !== AWS_KEYS.accessKeyId, `nobody knows the access key ${key}`],
    [!time.startsWith(day), "the day of the signature is not that of x-amz-date"],
    [service !== "bedrock", `the signature is for the service ${service}`],
    [unsigned.length > 0, `the signature leaves out ${unsigned.join(", ")}`],
    [bodyHash !== undefined && bodyHash !== sha256(bytes), "x-amz-content-sha256 is not that of the body"],
    [signature !== due, "the signature does not match"],
  );
}

const PATTERN =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8}\/[^/]+\/[^/]+\/aws4_request), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

const sha256 = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");

/** Each segment of the path is escaped again, as for every service but S3. */
function canonical(path: string, headers: readonly (readonly [string, string])[], bytes: Buffer): string {
  const [place = "", query = ""] = path.split("?");
  return [
    "POST",
    place.split("/").map(escaped).join("/"),
    query,
    ...headers.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, " ")}`),
    "",
    headers.map(([name]) => name).join(";"),
    sha256(bytes),
  ].join("\n");
}

const escaped = (segment: string): string =>
  encodeURIComponent(segment).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

function sign(scope: readonly string[], text: string): string {
  const mac = (key: string | Buffer, content: string): Buffer => createHmac("sha256", key).update(content).digest();
  return mac(scope.reduce<string | Buffer>(mac, `AWS4${AWS_KEYS.secretAccessKey}`), text).toString("hex");
}
