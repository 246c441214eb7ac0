import type { ImagePart, TextPart } from "../../protocol/message.ts";
import type { ToolContext } from "../../protocol/tool.ts";
import { changeFiles } from "../files/change-files.ts";
import { existingFile } from "../files/existing-file.ts";
import { targetOf } from "../files/target.ts";
import { PathError } from "../paths.ts";
import type { ImageParts } from "./image-generate.ts";
import { makePicture, type Shape } from "./make-picture.ts";
import { pictureOf, pictureType } from "./picture.ts";
import { pictureSize } from "./picture-size.ts";

interface Wanted {
  readonly prompt: string;
  readonly shape: Shape;
  readonly path: string;
}

/** Whether it can be written is known before it costs anything. */
export async function generate(
  { path, ...wanted }: Wanted,
  { place, egress, maker, account }: ImageParts,
  context: ToolContext,
): Promise<readonly (TextPart | ImagePart)[]> {
  const target = targetOf(path, place, context.approved);
  if ((await existingFile(target)) !== undefined)
    throw new PathError(`${target.shown} exists, and no picture is written over a file: name another path.`);
  const found = await maker();
  const { bytes, took } = await makePicture(wanted, found, { egress: await egress(), signal: context.signal });
  const cost = await account(found, took, context);
  const type = pictureType(bytes);
  if (type === undefined) throw new Error(`${found.provider} answered with something else than a picture; ${cost}.`);
  await changeFiles([{ target, before: undefined, after: bytes, mode: undefined }], context.signal);
  const { width, height } = await pictureSize(bytes);
  const kind = type.slice("image/".length);
  const text = `Wrote ${target.shown}: ${kind.toUpperCase()}, ${width} x ${height}, ${bytes.length} bytes, by ${found.provider}/${found.model}; ${cost}.`;
  return [{ type: "text", text }, await pictureOf(bytes, target.shown)];
}
