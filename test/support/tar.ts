/** `type` as tar writes it: 0 a file, 1 a hard link, 2 a link, 3 a device, 5 a folder. */
export type Made = readonly [path: string, content: Buffer, type?: string, target?: string, mode?: number];

const BLOCK = 512;

/** A pax archive: names may have any length and hold anything. */
export const tarOf = (entries: readonly Made[]): Buffer =>
  Buffer.concat([
    ...entries.flatMap(([path, content, type = "0", target = "", mode = 0o644]) => [
      ...member("header", paxRecord("path", path), "x"),
      ...member("name", content, type, target, mode),
    ]),
    Buffer.alloc(2 * BLOCK),
  ]);

function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`);
  let length = rest.length;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

type Member = readonly [name: string, content: Buffer, type: string, target?: string, mode?: number];

function member(...[name, content, type, target = "", mode = 0o644]: Member): Buffer[] {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0);
  header.write(`${mode.toString(8).padStart(7, "0")}\0`, 100);
  header.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124);
  header.write(type, 156);
  header.write(target.slice(0, 100), 157);
  header.write("ustar\0" + "00", 257);
  header.write(" ".repeat(8), 148);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return [header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
}
