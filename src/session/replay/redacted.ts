import { isObject } from "../../protocol/json.ts";
import type { RecordedTurn } from "../../protocol/replay.ts";

type Clean = (text: string) => string;

/** A copy of a recorded turn for others to look at: whatever `clean` takes out of a text is in none of its texts. */
export function redactedTurn(turn: RecordedTurn, clean: Clean): RecordedTurn {
  const { turnId, sessionId, requests, kits, ...rest } = turn;
  return {
    turnId,
    sessionId,
    ...(cleaned(rest, clean) as typeof rest),
    kits: kits.map(({ kit, ...more }) => ({ ...more, kit: cleanedJson(kit, clean) })),
    requests: requests.map((request) => ({ ...request, body: cleanedJson(request.body, clean) })),
    redacted: true,
  };
}

function cleaned(value: unknown, clean: Clean): unknown {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((item) => cleaned(item, clean));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cleaned(item, clean)]));
}

const STRING = /"(?:[^"\\]|\\.)*"/gsu;

/** Each text in it by itself, as it is cleaned elsewhere; then the whole, in which names stand beside their values. */
function cleanedJson(json: string, clean: Clean): string {
  const each = json.replaceAll(STRING, (written) => {
    const text = textIn(written);
    const shown = clean(text);
    return shown === text ? written : JSON.stringify(shown);
  });
  return clean(each);
}

function textIn(written: string): string {
  try {
    return String(JSON.parse(written));
  } catch {
    return written;
  }
}
