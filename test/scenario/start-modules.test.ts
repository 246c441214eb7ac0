import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { fakeProvider } from "../support/fake-provider.ts";
import { callTools, say } from "../support/wire-script.ts";
import { Place } from "./program.ts";

/** What only a call of a tool, or a command of its own, needs: parts of the bundle. */
const LATER = [
  "checkpoints",
  "docker",
  "document-text",
  "generate",
  "hands",
  "in-foreground",
  "load-tools",
  "open-egress",
  "pdfjs",
  "plan-command",
  "processes",
  "read-html",
  "read-pages",
  "read-path",
  "replace-file",
  "result-files",
  "rules",
  "run-patch",
  "search",
  "start-background",
  "stream",
] as const;

const partOf = (file: string): string => file.replace(/-[\w-]{8}\.js$/u, "");

test("[E1] starting, and a turn without calls, load nothing that only a call of a tool needs", async () => {
  const parts = readdirSync(join(import.meta.dirname, "..", "..", "dist", "program")).map(partOf);
  expect(parts).toEqual(expect.arrayContaining([...LATER]));
  const place = new Place();
  const long = `Array.from({ length: 30_000 }, (_, line) => line).join("\\n")`;
  const tool = `export default { name: "long", description: "d", parameters: { type: "object" }, effect: "pure", run: () => ${long} };`;
  await using provider = await fakeProvider([
    say("One."),
    callTools([{ id: "c", name: "long", arguments: {} }], { newHead: true }),
    say("Two."),
  ]);
  try {
    const file = join(place.folder, "modules");
    const record = join(import.meta.dirname, "record-modules.mjs");
    place.configure({ mine: provider });
    const loaded = async (...args: readonly string[]): Promise<string[]> => {
      writeFileSync(file, "");
      const env = { MODULES: file, NODE_OPTIONS: `--import ${record}` };
      const { code, stderr } = await place.run(undefined, args, { env });
      expect({ code, stderr }).toMatchObject({ code: 0 });
      const names = readFileSync(file, "utf8")
        .split("\n")
        .map((url) => partOf(basename(url)));
      return LATER.filter((name) => names.includes(name));
    };
    expect(await loaded("version")).toEqual([]);
    expect(await loaded("-p", "go")).toEqual([]);
    mkdirSync(join(place.home, "tools"), { recursive: true });
    writeFileSync(join(place.home, "tools", "long.mjs"), tool);
    expect(await loaded("-p", "go")).toEqual(expect.arrayContaining(["load-tools", "result-files"]));
    expect(await loaded("tool", "list")).toEqual(expect.arrayContaining(["hands"]));
  } finally {
    place.remove();
  }
});
