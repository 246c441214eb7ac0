import type { Outbox } from "../../protocol/jobs.ts";
import type { Route, Tool, ToolContext } from "../../protocol/tool.ts";
import { askAbout, permittedPath, type Place, whyAskToRead } from "../paths.ts";

type Input = Readonly<Record<string, unknown>>;

/** What stands around what is sent. */
export interface MessageOptions {
  /** Absent: there are no chats. */
  readonly outbox?: Outbox | undefined;
  readonly place: Place;
}

const MOST_FILES = 10;
/** Security §3.11. */
const MOST_CHARACTERS = 64_000;

/**
 * Sends into a chat while a turn runs (row E9). To another chat than the one that is answered a person is asked, and so are
 * files that would not be read unasked: what is sent is out of reach.
 */
export function messageTool({ outbox, place }: MessageOptions): Tool {
  return {
    name: "message",
    toolset: "automation",
    description:
      "Send a message into a chat before you answer: news of long work, or files. Without `to` it goes where this " +
      "conversation is; your answer is sent by itself and needs no message.",
    parameters: {
      type: "object",
      properties: {
        text: { type: "string" },
        to: { type: "string", description: "Another chat, as CHANNEL:CHAT. The user is asked." },
        files: { type: "array", items: { type: "string" }, description: "Paths of files to send along." },
      },
      required: ["text"],
    },
    effect: "effect",
    concurrency: "exclusive",
    available: () => (outbox === undefined ? "no gateway runs here that could do it" : undefined),
    trusted: true,
    ask: (input) => whyAsk(input, place),
    reaches: ({ to }) => (to === undefined ? undefined : { type: "send", to: `the chat ${named(to)}` }),
    async run(input, context) {
      if (outbox === undefined) throw new Error("Nothing was sent: no gateway is running.");
      const to = routeOf(input["to"], context);
      const { text = "" } = input;
      if (typeof text !== "string") throw new Error("Nothing was sent: text is a text.");
      const files = filesIn(input).map((path) =>
        permittedPath(path, place, { mode: "reads", approved: context.approved }),
      );
      if (text.trim() === "" && files.length === 0) throw new Error("Nothing was sent: it says nothing.");
      if (text.length > MOST_CHARACTERS)
        throw new Error(`Nothing was sent: a text has at most ${MOST_CHARACTERS} characters.`);
      await outbox.send({ to, text, files }, context.signal);
      return `Sent to ${to.channel}:${to.chatId}.`;
    },
  };
}

function whyAsk(input: Input, place: Place): string | undefined {
  const { to } = input;
  const asks = filesIn(input).flatMap((path) => askAbout(path, place, whyAskToRead) ?? []);
  const why = [...(to === undefined ? [] : [`It sends a message to another chat (${named(to)}).`]), ...asks];
  return why.length === 0 ? undefined : why.join(" ");
}

function filesIn({ files }: Input): string[] {
  if (files === undefined) return [];
  const paths = Array.isArray(files) ? files.filter((path): path is string => typeof path === "string") : [];
  if (!Array.isArray(files) || paths.length !== files.length || paths.length > MOST_FILES)
    throw new Error(`Nothing was sent: files is a list of at most ${MOST_FILES} paths.`);
  return paths;
}

/** Fit for one line of a question. */
const named = (to: unknown): string => JSON.stringify((typeof to === "string" ? to : "?").slice(0, 200).toWellFormed());

function routeOf(to: unknown, { route }: ToolContext): Route {
  if (to === undefined) {
    if (route === undefined) throw new Error("Nothing was sent: this conversation is in no chat; say which in `to`.");
    return route;
  }
  const [, channel, chatId] = /^([a-z][\w-]*):(.+)$/isu.exec(typeof to === "string" ? to.trim() : "") ?? [];
  if (channel === undefined || chatId === undefined)
    throw new Error("Nothing was sent: `to` is CHANNEL:CHAT, such as telegram:12345.");
  return { channel, chatId };
}
