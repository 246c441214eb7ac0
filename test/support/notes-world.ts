import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openNotes } from "../../src/program/notes.ts";
import type { Author, NoteBook, NoteChange, NoteFile } from "../../src/protocol/memory.ts";
import type { ProgramWorld } from "./program.ts";

export const PERSON: Author = { by: "person" };

/** The notes of a world, as another process has them. */
export const bookOf = (world: ProgramWorld): NoteBook => openNotes({ data: join(world.folder, "state") });

export const notePath = (world: ProgramWorld, name: string): string => join(world.folder, "state/memory", name);

/** Writes into the folder by hand. */
export async function putNotes(world: ProgramWorld, name: string, text: string | Buffer): Promise<string> {
  await mkdir(join(world.folder, "state/memory"), { recursive: true });
  await writeFile(notePath(world, name), text);
  return notePath(world, name);
}

export async function remember(world: ProgramWorld, file: NoteFile, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) await bookOf(world).change({ do: "add", file, text }, PERSON);
}

/** Makes a change wait, as it does after others' words were read; returns its id. */
export async function propose(world: ProgramWorld, change: NoteChange, author: Author): Promise<string> {
  const answer = await bookOf(world).change(change, author, "web_extract");
  if (answer.type !== "proposed") throw new Error(`it is ${answer.type}`);
  return answer.id;
}

/** An editor that is lines of shell; `$1` is the file. */
export async function shellEditor(world: ProgramWorld, ...lines: readonly string[]): Promise<NodeJS.ProcessEnv> {
  const file = join(world.folder, "editor");
  await writeFile(file, ["#!/bin/sh", ...lines, ""].join("\n"));
  await chmod(file, 0o755);
  // A shell reads it: the folder may have a space in its name.
  return { VISUAL: `"${file}"`, PATH: process.env["PATH"] };
}

export const noteTexts = (world: ProgramWorld, file: NoteFile): string[] =>
  bookOf(world)
    .read(file)
    .notes.map(({ text }) => text);
