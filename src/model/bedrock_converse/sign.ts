import { createHash } from "node:crypto";
import type { OutgoingHttpHeaders } from "node:http";
import type { Signable } from "../dialect.ts";

/** What requests are signed with. */
interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

/** `ID:SECRET` or `ID:SECRET:SESSION_TOKEN`; undefined: it is a token that is shown as it stands. */
export function awsKeys(key: string): AwsKeys | undefined {
  const [, accessKeyId, secretAccessKey, sessionToken] = /^([A-Z0-9]{4,128}):([^:]+)(?::([^:]+))?$/.exec(key) ?? [];
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken };
}

/** The headers that vouch for a request (AWS Signature, version 4). `now`: for tests, `YYYYMMDDTHHMMSSZ`. */
export async function signedHeaders(keys: AwsKeys, request: Signable, now?: string): Promise<OutgoingHttpHeaders> {
  const { AwsV4Signer } = await import("aws4fetch");
  const { accessKeyId, secretAccessKey, sessionToken } = keys;
  const { method, url } = request;
  const signer = new AwsV4Signer({
    method,
    url,
    headers: { "x-amz-content-sha256": createHash("sha256").update(request.body).digest("hex") },
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
    ...(now !== undefined && { datetime: now }),
    service: "bedrock",
    region: regionOf(url),
  });
  const { headers } = await signer.sign();
  return Object.fromEntries(headers);
}

/** An address of AWS names its region; any other is that of the environment. */
function regionOf(url: string): string {
  const named = /\bbedrock(?:-runtime)?(?:-fips)?\.([a-z0-9-]+)\./.exec(URL.parse(url)?.hostname ?? "")?.[1];
  const { AWS_REGION: region, AWS_DEFAULT_REGION: usual } = process.env;
  return [named, region, usual].find((name) => name !== undefined && name !== "") ?? "us-east-1";
}
