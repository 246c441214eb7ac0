import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { shellWord } from "./steps.ts";

test.each(["plain-1.md", "two words", "it's", "a\nb", "x\u202Ey", "q'\\\u200B\n", "\u{E0041}z", "e\u001B[2J"])(
  "[SEC-08] a word in a command is the same word for a shell, and hides nothing: %j",
  (word) => {
    const shown = shellWord(word);
    expect(shown).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    const { stdout } = spawnSync("bash", ["-c", `printf %s ${shown}`], { encoding: "utf8" });
    expect(stdout).toBe(word);
  },
);
