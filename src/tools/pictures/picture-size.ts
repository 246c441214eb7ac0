/** Pixels of a picture. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/**
 * How large a picture is, without reading its pixels. Rejects for bytes that are none. It is looked for in memory of its
 * own: the library reads on behind the end of a view, and takes what lies beside it there for the rest of the picture.
 */
export async function pictureSize(bytes: Uint8Array): Promise<PictureSize> {
  const { imageSize } = await import("image-size");
  return imageSize(new Uint8Array(bytes));
}
