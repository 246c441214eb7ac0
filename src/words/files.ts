import type { Text } from "./language.ts";

/** Why a file cannot be read, by what the system calls it. */
const FAULTS: Readonly<Record<string, Text>> = {
  ENOENT: { en: "there is none", zh: "不存在" },
  EACCES: { en: "it may not be read", zh: "没有读取权限" },
  EISDIR: { en: "it is a folder", zh: "它是文件夹" },
};

export const NO_REGULAR_FILE: Text = { en: "it is no regular file", zh: "它不是普通文件" };

/** `said`: the system's own words, for what is not known here. */
export const fileFault = (code: string | undefined, said: string): Text =>
  FAULTS[code ?? ""] ?? { en: code ?? said, zh: code ?? said };

/** Kinds of files in Chinese; they are told from their first bytes, in English. */
const KINDS: Readonly<Record<string, string>> = {
  "a PNG image": "PNG 图片",
  "a JPEG image": "JPEG 图片",
  "a GIF image": "GIF 图片",
  "a PDF document": "PDF 文档",
  "a ZIP archive or office document": "ZIP 压缩包或办公文档",
  "a gzip archive": "gzip 压缩包",
  "a zstd archive": "zstd 压缩包",
  "an xz archive": "xz 压缩包",
  "a 7z archive": "7z 压缩包",
  "an ELF program": "ELF 程序",
  "a Mach-O program": "Mach-O 程序",
  "a WebAssembly module": "WebAssembly 模块",
  "a SQLite database": "SQLite 数据库",
  "a RIFF media file": "RIFF 媒体文件",
  "an Ogg media file": "Ogg 媒体文件",
  "an MP3 file": "MP3 文件",
  "UTF-16 text": "UTF-16 文本",
  "a binary file": "二进制文件",
};

export const kindOfFile = (kind: string): Text => ({ en: kind, zh: KINDS[kind] ?? kind });
