import { imageData, imageMention, type ImagePart, type Message, type TextPart } from "../protocol/message.ts";
import type { ModelFacts } from "../protocol/model-facts.ts";
import { BYTES_PER_TOKEN } from "../protocol/window.ts";

/** What a picture counts for, tokens, however many bytes it has (hermes.md §1). */
const TOKENS = 1_600;

/** Undefined: nobody knows. */
export const seesPictures = (facts: ModelFacts | undefined): boolean | undefined => facts?.input?.includes("image");

/** A message for a model that cannot see: its pictures are told in words. */
export function unseen(message: Message): Message {
  if (!message.parts.some(isImage)) return message;
  switch (message.role) {
    case "user":
      return { ...message, parts: message.parts.map((part) => (isImage(part) ? told(part) : part)) };
    case "tool":
      return { ...message, parts: message.parts.map((part) => (isImage(part) ? told(part) : part)) };
    case "assistant":
      return message;
  }
}

const isImage = (part: Message["parts"][number]): part is ImagePart => part.type === "image";

const told = (image: ImagePart): TextPart => ({
  type: "text",
  text: `\n${imageMention(image)} (this model cannot see pictures)`,
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
