import type { JsonObject } from "./json.ts";

/** A failure that somebody hands in, to see what is made of it. */
export interface FailureGiven {
  /** Empty: unknown. */
  readonly provider: string;
  readonly model: string;
  /** About how many tokens the request had. */
  readonly tokens: number;
  /** How many messages it had. */
  readonly messages: number;
  /** Tokens that the model takes; undefined: unknown. */
  readonly window: number | undefined;
  readonly what: ThrownGiven | ReplyGiven;
}

/** As a client of an API throws it: `type`, `message`, `status_code`, `body`, `cause`. */
interface ThrownGiven {
  readonly type: "thrown";
  readonly error: JsonObject;
}

/** As a server sends it. */
interface ReplyGiven {
  readonly type: "reply";
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
