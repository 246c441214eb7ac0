import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readConfig } from "../../../src/config/config.ts";
import { isTrusted, trustFolder } from "../../../src/config/trust.ts";
import { openMcpBook } from "../../../src/program/mcp.ts";
import type { Json } from "../case-file.ts";
import { objectOf, textOf } from "../input.ts";
import { configChanged } from "./mcp-consent.ts";

/** What is not about a folder, its files and who has agreed to them. */
export const trustUnsupported = (input: Json): string | undefined => {
  const { sandbox, headless, workspace_file: file } = objectOf(input, "input");
  if (sandbox !== undefined) return "needs a real sandbox: npm run test:system";
  if (headless !== undefined) return "needs a turn that nobody attends: test/library/approvals.test.ts";
  if (typeof file === "string" && file.startsWith("AGENTS")) return "needs a model that obeys: test/injection";
  return undefined;
};

/** Each part of a sentence that a folder can be judged by stands for itself. */
export const trustExpectation = (expect: Json): Json =>
  typeof expect === "string" && expect.startsWith("untrusted") ? "untrusted" : expect;

export async function trustCase(input: Json): Promise<string> {
  const { workspace_file: file = "", consented_hash: before, changed = "", ...given } = objectOf(input, "input");
  if (before !== undefined)
    return configChanged({ config_changed: changed }) === "refused" ? "not started until re-consent" : "started";
  const root = realpathSync(mkdtempSync(join(tmpdir(), "evander-trust-")));
  try {
    return await judged(root, textOf(file, "workspace_file"), given);
  } finally {
    rmSync(root, { recursive: true });
  }
}

type Given = Readonly<Record<string, Json>>;

async function judged(root: string, file: string, { trusted_path: trusted, opened }: Given): Promise<string> {
  const folder = (name: string): string => {
    mkdirSync(join(root, name), { recursive: true });
    return join(root, name);
  };
  const data = folder("data");
  if (typeof trusted === "string") {
    trustFolder(data, folder(trusted));
    return isTrusted(data, folder(textOf(opened, "opened"))) ? "trusted" : "untrusted";
  }
  const work = folder("work");
  const [, name = "", said = ""] = /^(\S+?)(?: \(file\))?(?:: (.*))?$/su.exec(file) ?? [];
  if (name === ".mcp.json") return proposed(root, work);
  if (name === ".env") return homeBeside(root, work, said);
  if (name !== ".git") return "not known";
  const [, pointed = ""] = /^gitdir: (.*)\/\.git\//u.exec(said) ?? [];
  trustFolder(data, folder(pointed));
  writeFileSync(join(work, name), said.replace(/^gitdir: /u, `gitdir: ${root}`));
  return isTrusted(data, work) ? "trusted" : "untrusted";
}

/** What a project says of servers stands among the proposals, and nowhere else. */
async function proposed(root: string, cwd: string): Promise<string> {
  writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { own: { command: "node", args: ["a.mjs"] } } }));
  const folders = { config: root, data: root, state: root };
  const book = openMcpBook({ servers: [], folders, cwd, io: { env: {}, home: root, platform: "linux" } }, {});
  const [proposals, rows] = [await book.proposals(), await book.rows()];
  const standing = rows.length === 0 ? "not started" : "started";
  return `${standing}; ${proposals.length === 1 ? "listed as a proposal" : "not listed"}`;
}

/** Where the program keeps its own, with variables in a file of the folder that would lead elsewhere. */
async function homeBeside(root: string, cwd: string, said: string): Promise<string> {
  const names = [said, said.replace(/^[A-Z]+_HOME/u, "EVANDER_HOME")];
  writeFileSync(join(cwd, ".env"), names.join("\n"));
  const around = { env: {}, home: root, platform: "linux", systemFolder: join(root, "etc") } as const;
  const reading = await readConfig({ cwd, attended: false, around });
  const data = reading.type === "config" ? reading.config.folders.data : cwd;
  return dirname(data).startsWith(cwd) ? "followed" : "ignored";
}
