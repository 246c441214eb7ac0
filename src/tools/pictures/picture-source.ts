import { type Egress, EgressRefusal } from "../../protocol/egress.ts";
import { type ImagePart, LARGEST_PICTURE } from "../../protocol/message.ts";
import { explain, openRegularFile } from "../files/open-file.ts";
import { PathError, permittedPath, type Place, shownPath } from "../paths.ts";
import { pictureOf } from "./picture.ts";

export interface Ways {
  readonly place: Place;
  readonly egress: () => Promise<Egress>;
  readonly signal: AbortSignal;
  /** The question that was answered with yes. */
  readonly approved: string | undefined;
}

/** Bytes of a picture that is fetched. */
const MOST_BYTES = 20_000_000;

/** A picture of the web or of a file. Throws, in one sentence, for what is none. */
export async function pictureFrom(given: string, ways: Ways): Promise<ImagePart> {
  return /^https?:/iu.test(given) ? fromWeb(given, ways) : fromFile(given, ways);
}

async function fromWeb(url: string, { egress, signal }: Ways): Promise<ImagePart> {
  const asked = { url, purpose: "tool", signal, most: MOST_BYTES, headers: { accept: "image/*" } } as const;
  try {
    const { status, body, cut } = await (await egress()).request(asked);
    if (status < 200 || status >= 300) throw new Error(`${url} did not show a picture (status ${status}).`);
    if (cut === true) throw new Error(`${url} has more than ${MOST_BYTES / 1e6} MB, which is not fetched.`);
    return await pictureOf(body, url);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EgressRefusal) throw new Error(`${url} was not fetched: ${error.message}`, { cause: error });
    throw error;
  }
}

async function fromFile(given: string, { place, approved }: Ways): Promise<ImagePart> {
  const real = permittedPath(given, place, { mode: "reads", approved });
  const shown = shownPath(real, place);
  const opened = await openRegularFile(real, shown, place);
  await using file = opened.file;
  if (opened.stats.size > LARGEST_PICTURE)
    throw new PathError(`${shown} has ${opened.stats.size} bytes, and a picture may have ${LARGEST_PICTURE}.`);
  const bytes = await file.readFile().catch((error: unknown) => {
    throw new PathError(explain(error, shown), { cause: error });
  });
  return await pictureOf(bytes, shown);
}
