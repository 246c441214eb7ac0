import type { Failure } from "../../protocol/failure.ts";

/** A model that takes no pictures, in the words of servers that serve one. */
const NO_PICTURES: readonly [about: RegExp, says: RegExp] = [
  /\b(?:images?|image_url|vision|multi-?modal)\b/,
  /not (?:currently )?(?:supported|permitted|allowed|a multimodal)|unsupported|(?:not|n't) (?:support|accept)\b|no endpoints found|missing data required|unknown variant|invalid content type|only supports? text/,
];

/**
 * Lower-case pieces of codes and sentences by which a server refuses some pictures of a request, and not pictures as
 * such: they are broken, of another format, out of its reach, or too large. What is said of size is out of
 * hermes.md §10.9; the rest is quoted in bug reports of clients of these APIs.
 */
const NOT_THESE: readonly string[] = [
  // Anthropic, and Bedrock behind it.
  "could not process image",
  "unable to download the file",
  // OpenAI: codes of both its APIs, then sentences.
  "image_parse_error",
  "invalid_image",
  "invalid_base64_image",
  "invalid image",
  "does not represent a valid image",
  "unsupported image",
  "error while downloading",
  "failed to download image",
  // Gemini.
  "unable to process input image",
  "provided image is not valid",
  // Sizes.
  "image exceeds",
  "image too large",
  "image_too_large",
  "image_file_too_large",
  "image size exceeds",
  "image dimensions exceed",
  "dimensions exceed max allowed size",
];

/** Whatever is said of pictures has one of these. */
const ABOUT = /image|download|vision|modal/;

/** `text`: codes and sentences of a server, in lower case. */
export function refusedPictures(text: string): Pick<Failure, "refusesPictures" | "refusesThesePictures"> {
  if (!ABOUT.test(text)) return {};
  if (NOT_THESE.some((piece) => text.includes(piece))) return { refusesThesePictures: true };
  return NO_PICTURES.every((pattern) => pattern.test(text)) ? { refusesPictures: true } : {};
}
