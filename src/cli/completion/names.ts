import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { profileFolders, rootFolders, storeFolder } from "../../config/folders.ts";
import { KEYS } from "../../config/keys.ts";
import { modelAsked } from "../../config/model-asked.ts";
import { findProfile, profileNames } from "../../config/profiles.ts";
import type { Store } from "../../protocol/store.ts";
import { openQuestions } from "../../session/approvals.ts";
import { oneLine } from "../../session/plain-text.ts";
import { FILE_NAMES } from "../../words/memory.ts";
import type { Adapters, Hands } from "../adapters.ts";
import { lookHere } from "../config/look.ts";
import { ownFolders } from "../config/own-folders.ts";
import { type Io, say } from "../io.ts";
import { minuteOf, numberedNotes } from "../memory/notes.ts";
import { withHands } from "../tool/place.ts";
import { NAMED, type Named } from "./tree.ts";

/** So many sessions are offered: nobody chooses among more. */
const NEWEST = 30;

/** A word, and what it is. */
type Name = readonly [word: string, about: string];

/**
 * `evander __complete KIND`, for the scripts of shells: one name a line, a tab, what it is. It asks no model, makes no
 * file, and whatever goes wrong is no name.
 */
export async function printNames(kind: string | undefined, io: Io, adapters: Adapters): Promise<number> {
  const known = NAMED.find((name) => name === kind);
  if (known === undefined) return 2;
  try {
    for (const [word, about] of await namesOf(known, io, adapters)) say(io.stdout, `${word}\t${oneLine(about)}`);
  } catch {
    // Somebody is typing: nothing is offered, and nothing said.
  }
  return 0;
}

async function namesOf(kind: Named, io: Io, adapters: Adapters): Promise<readonly Name[]> {
  switch (kind) {
    case "sessions":
      return fromStore(io, adapters, sessionNames);
    case "turns":
      return [["last", ""], ...(await fromStore(io, adapters, turnNames))];
    case "approvals":
      return fromStore(io, adapters, approvalNames);
    case "models":
    case "providers":
      return modelNames(kind, io, adapters);
    case "profiles":
      return profileNames(rootFolders(io)).map((name) => [name, ""]);
    case "keys":
      return KEYS.map(({ name, meaning }) => [name, meaning]);
    case "notes":
      return numberedNotes(await adapters.openNotes(ownFolders(io))).map(({ number, text }) => [String(number), text]);
    case "versions":
      return (await adapters.openNotes(ownFolders(io)))
        .versions()
        .slice(0, NEWEST)
        .map(({ version, file, written }) => [String(version), `${FILE_NAMES[file]} ${minuteOf(written.atMs)}`]);
    case "skills": {
      const { folders } = await lookHere(io);
      const { skills } = await adapters.openSkills({ folders, cwd: io.cwd }).list();
      return skills.map(({ name, description }) => [name, description]);
    }
    case "tools": {
      const form = { output: "text" } as const;
      return withHands({ io, adapters }, form, ({ tools }) => Promise.resolve(toolNames(tools)), "nothing");
    }
    case "topics": {
      const files = readdirSync(adapters.docsFolder).filter((name) => name.endsWith(".md"));
      return ["exit-codes", ...files.map((name) => name.slice(0, -".md".length))].map((name) => [name, ""]);
    }
  }
}

async function fromStore(
  io: Io,
  { openStore }: Adapters,
  read: (store: Store) => readonly Name[],
): Promise<readonly Name[]> {
  const found = findProfile(io);
  if (found.type === "invalid") return [];
  const folder = storeFolder(io, profileFolders(rootFolders(io), found.profile, io.platform));
  if (!existsSync(join(folder, "evander.db"))) return [];
  const store = await openStore({ folder, sync: "four" });
  try {
    return read(store);
  } finally {
    store.close();
  }
}

const toolNames = (tools: Hands["tools"]): Name[] =>
  tools.map(({ tool: { name, description } }) => [name, description]);

/** Ids, and titles, which name a session as well. */
function sessionNames(store: Store): readonly Name[] {
  const sessions = store.list().slice(0, NEWEST);
  const titles = sessions.filter(({ title }) => title.trim() !== "" && title === oneLine(title));
  return [
    ["last", ""],
    ...sessions.map(({ sessionId, title }) => [sessionId, title] as const),
    ...titles.map(({ title, sessionId }) => [title, sessionId] as const),
  ];
}

const turnNames = (store: Store): readonly Name[] =>
  store.openTurns().map(({ turnId, title }) => [turnId, title] as const);

const approvalNames = (store: Store): readonly Name[] =>
  openQuestions(store).map(({ call }) => [call.approvalId, call.name] as const);

/** What is known without asking anybody but this machine. */
async function modelNames(
  kind: "models" | "providers",
  io: Io,
  { surveyProviders }: Adapters,
): Promise<readonly Name[]> {
  const rows = await surveyProviders({ ...modelAsked(await lookHere(io), io, io.cwd), ask: "nothing" });
  if (kind === "providers") return rows.map(({ provider, name }) => [provider, name]);
  const models = rows.flatMap(({ models: known, name }) => known.map(({ id }) => [id, name] as const));
  return [["practice", ""], ...models];
}
