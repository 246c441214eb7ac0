import { imageData, imageMention, type ImagePart, type Message, type TextPart } from "../protocol/message.ts";
import type { ModelFacts } from "../protocol/model-facts.ts";
import { BYTES_PER_TOKEN } from "../protocol/window.ts";

/** What a picture counts for, tokens, however many bytes it has (hermes.md §1). */
const TOKENS = 1_600;

/** Undefined: nobody knows. */
export const seesPictures = (facts: ModelFacts | undefined): boolean | undefined => facts?.input?.includes("image");

/** Why a picture is not shown, behind its mention. */
const BLIND = "this model cannot see pictures";
const REFUSED = "it could not be read as a picture, or was too large";

/** A message for a model that cannot see: its pictures are told in words. */
export const unseen = (message: Message): Message => withoutPictures(message, BLIND);

/** What of a history was before the pictures that are shown, told in words. */
export const seenFrom = (messages: readonly Message[], from: number): readonly Message[] =>
  messages.map((message, at) => (at < from ? withoutPictures(message, REFUSED) : message));

function withoutPictures(message: Message, why: string): Message {
  if (!message.parts.some(isImage)) return message;
  switch (message.role) {
    case "user":
      return { ...message, parts: message.parts.map((part) => (isImage(part) ? told(part, why) : part)) };
    case "tool":
      return { ...message, parts: message.parts.map((part) => (isImage(part) ? told(part, why) : part)) };
    case "assistant":
      return message;
  }
}

const isImage = (part: Message["parts"][number]): part is ImagePart => part.type === "image";

const told = (image: ImagePart, why: string): TextPart => ({
  type: "text",
  text: `\n${imageMention(image)} (${why})`,
});

/** How many more bytes the pictures of a message take on the wire than they count for in tokens. */
export function picturesWeigh({ parts }: Message): number {
  let bytes = 0;
  for (const part of parts) {
    const data = part.type === "image" ? imageData(part.url) : undefined;
    if (data !== undefined) bytes += data.base64.length - TOKENS * BYTES_PER_TOKEN;
  }
  return bytes;
}
