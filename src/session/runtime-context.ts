import type { ContextPart, UserMessage } from "../protocol/message.ts";
import type { Route } from "../protocol/tool.ts";

const SOURCE = "runtime";

/** What a model cannot know of a message: when it came, and from where (row A12). Undefined where nothing is known. */
export function runtimeContext(
  time: string | undefined,
  route: Route | undefined,
  news?: string,
): ContextPart | undefined {
  const facts = [
    ["Time", time],
    ["Channel", route?.channel],
    ["Chat", route?.chatId],
    ["News", news],
  ].flatMap(([name, value = ""]) => (value === "" ? [] : [`${name}: ${value.replaceAll(/\p{Cc}+/gu, " ")}`]));
  return facts.length === 0 ? undefined : { type: "context", source: SOURCE, text: facts.join("\n") };
}

export const isRuntimeContext = (part: UserMessage["parts"][number]): boolean =>
  part.type === "context" && part.source === SOURCE;

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;

/** The time on a wall so many minutes east of Greenwich, and where that is. No ICU: it costs 50 ms of a first turn. */
export function wallTime(ms: number, minutesEast: number): string {
  const wall = new Date(ms + minutesEast * 60_000);
  const [day = "", time = ""] = wall.toISOString().split("T");
  const sign = minutesEast < 0 ? "-" : "+";
  const [hours, minutes] = [Math.abs(minutesEast) / 60, Math.abs(minutesEast) % 60].map((part) =>
    String(Math.floor(part)).padStart(2, "0"),
  );
  return `${day} ${time.slice(0, 5)} ${DAYS[wall.getUTCDay()]} (UTC${sign}${hours}:${minutes})`;
}

/** The time here. */
export const localTime = (ms: number): string => wallTime(ms, -new Date(ms).getTimezoneOffset());
