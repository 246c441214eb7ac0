import type { Adjusted, Only } from "../protocol/adjustment.ts";
import type { AssistantMessage, ImagePart, Message } from "../protocol/message.ts";
import { withoutPictures } from "./pictures.ts";

/** What is said behind the mention of a picture that is not shown. */
const BLIND = "this model cannot see pictures";
const REFUSED = "it could not be read as a picture, or was too large";
const NOT_OF_TOOLS = "this model takes no pictures from tools";

/** How a message is changed for whom it is sent to. `at`: its place in the history; behind all of it: Infinity. */
export type Change = (message: Message, at: number) => Message;

/** Whom messages are changed for. */
interface Receiver {
  readonly adjusted: Omit<Adjusted, "streaming"> | undefined;
  /** Whether the model sees pictures; undefined: nobody knows. */
  readonly sees: boolean | undefined;
  /** Pictures that were made smaller; undefined stands for one that cannot be. */
  readonly smaller: Pick<ReadonlyMap<ImagePart, ImagePart | undefined>, "has" | "get">;
}

/** Undefined: nothing is changed. */
export function changeFor({ adjusted = {}, sees, smaller }: Receiver): Change | undefined {
  const { pictures, pictureLimit, toolPictures } = adjusted;
  const opaque = adjusted.strict === true ? false : adjusted.opaque;
  const blind = sees === false || pictures === false;
  const changes: Change[] = [];
  if (blind) changes.push((message) => withoutPictures(message, () => BLIND));
  else {
    if (pictures !== undefined)
      changes.push((message, at) => (isOut(pictures, at) ? withoutPictures(message, () => REFUSED) : message));
    if (toolPictures === false)
      changes.push((message) => (message.role === "tool" ? withoutPictures(message, () => NOT_OF_TOOLS) : message));
    if (pictureLimit !== undefined)
      changes.push((message) =>
        withoutPictures(message, (picture) => (smaller.has(picture) ? (smaller.get(picture) ?? REFUSED) : picture)),
      );
  }
  if (opaque !== undefined) changes.push((message, at) => (isOut(opaque, at) ? opened(message) : message));
  if (changes.length === 0) return undefined;
  return (message, at) => changes.reduce((changed, change) => change(changed, at), message);
}

const isOut = (only: Only, at: number): boolean => only === false || at < only.from;

/** As if it came from elsewhere: what is opaque is left out, the words stay. */
const opened = (message: Message): Message =>
  message.role === "assistant" ? { ...message, parts: message.parts.map(withoutMaker) } : message;

function withoutMaker(part: AssistantMessage["parts"][number]): AssistantMessage["parts"][number] {
  const { opaque: _opaque, provenance: _maker, ...rest } = part;
  return rest;
}
