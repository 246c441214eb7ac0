import { hash } from "node:crypto";
import type { Stats } from "node:fs";

/** Bytes; a larger file is told by its size and time alone. */
export const MOST_HASHED: number = 16 * 1024 * 1024;

/** A text that is the same as long as the bytes of a file are; of a large file, as long as its size and time are. */
export const versionOf = (bytes: Buffer): string => hash("sha256", bytes, "base64url");

export const versionOfLarge = ({ size, mtimeMs, ino }: Stats): string => `${size}-${mtimeMs}-${ino}`;
