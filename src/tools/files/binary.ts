/** Bytes looked at, as git does. */
const SNIFFED = 8_000;

const SIGNATURES: readonly (readonly [hex: string, kind: string])[] = [
  ["89504e470d0a1a0a", "a PNG image"],
  ["ffd8ff", "a JPEG image"],
  ["47494638", "a GIF image"],
  ["25504446", "a PDF document"],
  ["504b0304", "a ZIP archive or office document"],
  ["1f8b", "a gzip archive"],
  ["28b52ffd", "a zstd archive"],
  ["fd377a585a00", "an xz archive"],
  ["377abcaf271c", "a 7z archive"],
  ["7f454c46", "an ELF program"],
  ["cffaedfe", "a Mach-O program"],
  ["0061736d", "a WebAssembly module"],
  ["53514c69746520666f726d6174203300", "a SQLite database"],
  ["52494646", "a RIFF media file"],
  ["4f676753", "an Ogg media file"],
  ["494433", "an MP3 file"],
  ["fffe", "UTF-16 text"],
  ["feff", "UTF-16 text"],
];

/** What the first bytes of a file say it is, when it is not text; undefined for text in any ASCII-like encoding. */
export function binaryKind(start: Buffer): string | undefined {
  const head = start.toString("hex", 0, 16);
  const known = SIGNATURES.find(([signature]) => head.startsWith(signature));
  if (known !== undefined) return known[1];
  return start.subarray(0, SNIFFED).includes(0) ? "a binary file" : undefined;
}
