import { crc32 } from "node:zlib";

/** One frame of application/vnd.amazon.eventstream: lengths, their checksum, headers, payload, checksum of it all. */
export function eventStreamFrame(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(payload);
  const frame = Buffer.alloc(12 + head.length + body.length + 4);
  frame.writeUInt32BE(frame.length, 0);
  frame.writeUInt32BE(head.length, 4);
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8);
  head.copy(frame, 12);
  body.copy(frame, 12 + head.length);
  frame.writeUInt32BE(crc32(frame.subarray(0, -4)), frame.length - 4);
  return frame;
}

/** Kind 7: a text whose length stands in two bytes. */
function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(3);
  length.writeUInt8(7, 0);
  length.writeUInt16BE(Buffer.byteLength(value), 1);
  return Buffer.concat([Buffer.from([Buffer.byteLength(name)]), Buffer.from(name), length, Buffer.from(value)]);
}
