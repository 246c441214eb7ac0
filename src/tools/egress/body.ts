import type { IncomingMessage } from "node:http";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { EgressRefusal } from "../../protocol/egress.ts";
import { lateAfter, LIMITS, type Timer } from "./limits.ts";

/** So much may be unpacked whatever it was packed into, bytes: a short page of one word packs better than any bomb. */
const FREE_BYTES = 262_144;

/** What a server may answer in, so that it can be read. */
export const CODINGS = "gzip, deflate, br, zstd";

interface Unpacked {
  readonly stream: Readable;
  /** Bytes that were read of what came, where it was packed. */
  readonly packed: () => number | undefined;
}

function unpacked(response: IncomingMessage, host: string): Unpacked {
  const codings = (response.headers["content-encoding"] ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
  const stages = codings.reverse().flatMap((name) => stageFor(name, host));
  const [first] = stages;
  const last = stages.at(-1);
  if (first === undefined || last === undefined) return { stream: response, packed: () => undefined };
  // Whoever reads the last one is told of every trouble before it.
  pipeline([response, ...stages], () => undefined);
  return { stream: last, packed: () => first.bytesWritten };
}

function stageFor(name: string, host: string): (Transform & { readonly bytesWritten: number })[] {
  switch (name) {
    case "":
    case "identity":
      return [];
    case "gzip":
    case "x-gzip":
      return [createGunzip()];
    case "deflate":
      return [createInflate()];
    case "br":
      return [createBrotliDecompress()];
    case "zstd":
      return [createZstdDecompress()];
    default:
      throw new EgressRefusal("failed", `${host} answers in a packing that is not known: ${name.slice(0, 20)}.`);
  }
}

/** The body piece by piece, unpacked. Throws EgressRefusal for what is a bomb, breaks off, or goes silent. */
export async function* bodyOf(
  response: IncomingMessage,
  host: string,
  { timer, idleMs }: { readonly timer: Timer; readonly idleMs: number | undefined },
): AsyncGenerator<Uint8Array, void, undefined> {
  const { stream, packed } = unpacked(response, host);
  const silent = (): unknown =>
    stream.destroy(new EgressRefusal("failed", `${host} sent nothing for ${(idleMs ?? 0) / 1000} s.`));
  const wait = (): (() => void) => (idleMs === undefined ? () => undefined : lateAfter(timer, idleMs, silent));
  let forget = wait();
  let length = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      forget();
      length += chunk.length;
      if (length > FREE_BYTES && length > LIMITS.ratio * (packed() ?? length))
        throw new EgressRefusal("failed", `${host} sent what unpacks to more than ${LIMITS.ratio} times its size.`);
      yield chunk;
      forget = wait();
    }
  } finally {
    forget();
    response.destroy();
  }
}
