import { languageFor } from "../flags.ts";
import { workingFolder } from "../set-up.ts";
import { Proposals } from "../proposals.ts";
import { isDumb, Surface } from "../screen/surface.ts";
import { Conversation } from "./conversation.ts";
import { type Chat, open } from "./opening.ts";

/**
 * `evander`: a line in, the answer streamed, until the input ends. Without a model it opens with the practice model.
 * The prompt is drawn at once; what was typed before the model is known is sent when it is.
 */
export async function chat(begun: Omit<Chat, "proposals">, first: string): Promise<number> {
  const asked: Chat = { ...begun, proposals: new Proposals() };
  const { flags, io } = asked;
  // What is wrong with the command line is said before anything is drawn.
  workingFolder(flags, io);
  const surface = new Surface(io, { plain: flags.plain === true || isDumb(io) || io.stdout.isTTY !== true });
  const conversation = new Conversation({
    chat: asked,
    surface,
    language: languageFor(flags, io.env),
    opening: open(asked),
  });
  try {
    return await conversation.run(first);
  } finally {
    surface.close();
  }
}
