import fc from "fast-check";
import { expect, test } from "vitest";
import { COMMANDS } from "./registry.ts";
import { resolveCommand } from "./resolve.ts";

const read = (line: string) => resolveCommand(line, COMMANDS);

test("[A14] a command is found by its name, its alias, or a beginning that only it has", () => {
  for (const line of ["/sessions", "/SESSIONS", "/sess", "/sessions@bot"])
    expect(read(line)).toMatchObject({ type: "command", command: { name: "sessions" }, text: "" });
  expect(read("/exit")).toMatchObject({ type: "command", command: { name: "quit" } });
  expect(read("/steer  Keep The Case\n and lines ")).toMatchObject({ text: "Keep The Case\n and lines" });
});

test("[A14] whatever else begins with a slash is refused with what may be meant", () => {
  expect(read("/st")).toMatchObject({ cause: "ambiguous", nearest: ["stop", "steer", "status"] });
  expect(read("/seesions")).toMatchObject({ cause: "unknown", nearest: ["sessions"] });
  expect(read("/xyzzy")).toMatchObject({ cause: "unknown", nearest: [] });
  expect(read("/")).toMatchObject({ cause: "unknown", nearest: [] });
  expect(read("/why not")).toMatchObject({ cause: "takes-nothing", nearest: ["why"] });
  expect(read("/steer")).toMatchObject({ cause: "needs-text", nearest: ["steer"] });
});

test("[A14] a path, a word behind a space and a line without a slash are messages", () => {
  for (const line of ["/usr/bin/env is what?", "//note", " /help", "help", "a /help"])
    expect(read(line)).toEqual({ type: "message" });
});

test("[A14] every name and alias stands for one command, and none is the beginning of a longer alias's own word", () => {
  const names = COMMANDS.flatMap(({ name, aliases }) => [name, ...aliases]);
  expect(new Set(names).size).toBe(names.length);
  for (const { name } of COMMANDS) expect(read(`/${name} x`)).not.toMatchObject({ cause: "ambiguous" });
});

test("[A14] no text that begins with a slash and one word reaches the model", () => {
  const word = fc.string().filter((text) => !/[\s/]/u.test(text));
  expect(() => fc.assert(fc.property(word, (text) => read(`/${text}`).type !== "message"))).not.toThrow();
});
