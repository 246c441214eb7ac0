import { imageData, imageMention, type ImagePart, type Message, type TextPart } from "../protocol/message.ts";
import type { ModelFacts } from "../protocol/model-facts.ts";
import { PICTURE_BYTES } from "../protocol/window.ts";

/** Undefined: nobody knows. */
export const seesPictures = (facts: ModelFacts | undefined): boolean | undefined => facts?.input?.includes("image");

/** A message with something else in the place of each picture: another one, or a mention and why it is not shown. */
export function withoutPictures(message: Message, instead: (picture: ImagePart) => ImagePart | string): Message {
  if (!message.parts.some(isImage)) return message;
  const other = <Part extends Message["parts"][number]>(part: Part | ImagePart): Part | ImagePart | TextPart => {
    if (!isImage(part)) return part;
    const it = instead(part);
    return typeof it === "string" ? told(part, it) : it;
  };
  switch (message.role) {
    case "user":
      return { ...message, parts: message.parts.map((part) => other(part)) };
    case "tool":
      return { ...message, parts: message.parts.map((part) => other(part)) };
    case "assistant":
      return message;
  }
}

const isImage = (part: Message["parts"][number]): part is ImagePart => part.type === "image";

export const picturesIn = ({ parts }: Message): readonly ImagePart[] => {
  const all: readonly Message["parts"][number][] = parts;
  return all.filter(isImage);
};

const told = (image: ImagePart, why: string): TextPart => ({
  type: "text",
  text: `\n${imageMention(image)} (${why})`,
});

/** How many more bytes the pictures of a message take on the wire than they count for in tokens. */
export function picturesWeigh({ parts }: Message): number {
  let bytes = 0;
  for (const part of parts) {
    const data = part.type === "image" ? imageData(part.url) : undefined;
    if (data !== undefined) bytes += data.base64.length - PICTURE_BYTES;
  }
  return bytes;
}
