import { setTimeout } from "node:timers/promises";
import { type Authority, type DeviceAnswer, type DeviceCode, isSafeAddress } from "../protocol/keys.ts";
import { askForToken, postForm } from "./authority.ts";

/** Between two questions where the authority does not say, and added where it finds them too many (RFC 8628), ms. */
const PAUSE_MS = 5_000;
/** How long a person may take where the authority does not say, ms. */
const USUAL_LIFE_MS = 900_000;

/**
 * Gets a key from an authority without a browser on this machine: a person opens an address anywhere, types a code and
 * agrees, while the authority is asked whether they have (RFC 8628). `tell` is given both. Never rejects.
 */
export async function loginByDevice(authority: Authority, tell: (code: DeviceCode) => void): Promise<DeviceAnswer> {
  const { deviceUrl, clientId, scope } = authority;
  const asked = await postForm(deviceUrl, { client_id: clientId, ...(scope !== undefined && { scope }) });
  if (asked === undefined || asked.status >= 300) return { type: "silent" };
  const { device_code: device, user_code: userCode, verification_uri: address } = asked.body;
  const isWhole = typeof device === "string" && typeof userCode === "string" && typeof address === "string";
  // What a person is to open comes from elsewhere.
  if (!isWhole || !isSafeAddress(address)) return { type: "silent" };
  tell({ userCode, address });
  const lifeMs = secondsOf(asked.body["expires_in"]) ?? USUAL_LIFE_MS;
  return untilDecided(authority, device, { pauseMs: secondsOf(asked.body["interval"]) ?? PAUSE_MS, lifeMs });
}

const secondsOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value * 1_000 : undefined;

interface Asking {
  readonly pauseMs: number;
  readonly lifeMs: number;
}

async function untilDecided(
  { tokenUrl, clientId }: Authority,
  device: string,
  { pauseMs, lifeMs }: Asking,
): Promise<DeviceAnswer> {
  const form = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: device, client_id: clientId };
  const deadline = performance.now() + lifeMs;
  for (let pause = pauseMs; performance.now() < deadline;) {
    await setTimeout(pause);
    const answer = await askForToken(tokenUrl, form);
    if (answer.type === "granted") {
      const { secret, refreshToken, lifetimeMs } = answer;
      const expires = lifetimeMs !== undefined && { expiresMs: Date.now() + lifetimeMs };
      return {
        type: "granted",
        grant: { secret, ...(refreshToken !== undefined && { refreshToken }), ...expires, tokenUrl, clientId },
      };
    }
    if (answer.type === "refused" && answer.code === "slow_down") pause += PAUSE_MS;
    else if (answer.type === "refused" && answer.code !== "authorization_pending") return answer;
  }
  return { type: "refused", code: "expired_token" };
}
