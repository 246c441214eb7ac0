import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { Pty } from "../support/pty.ts";
import { Place } from "./program.ts";

test("[X2] [E10] at a terminal the diff stands above the question, and only yes writes the file", async () => {
  const place = new Place();
  const file = join(place.work, "AGENTS.md");
  writeFileSync(file, "Use tabs.\nBe brief.\n");
  const env = {
    PATH: process.env["PATH"],
    HOME: place.folder,
    EVANDER_HOME: place.home,
    EVANDER_LOCAL_SERVERS: "off",
    TERM: "xterm-256color",
  };
  try {
    await using pty = new Pty({ cwd: place.work, args: ["--model", "practice"], env });
    await pty.shown("› ");
    pty.type('replace "tabs" with "spaces" in AGENTS.md\r');
    await pty.shown("[y/N] ", "“tabs” becomes “spaces”");
    assert.match(pty.plain, /-Use tabs\.\r?\n\+Use spaces\.[\s\S]*needs your approval[\s\S]*Allow\?/u);
    pty.type("n\r");
    await pty.shown("› ", "`AGENTS.md` was not changed.");
    assert.equal(readFileSync(file, "utf8"), "Use tabs.\nBe brief.\n");
    pty.type('replace "brief" with "short" in AGENTS.md\r');
    await pty.shown("[y/N] ", "“brief” becomes “short”");
    pty.type("y\r");
    await pty.shown("› ", "The tool says: Replaced AGENTS.md");
    assert.equal(readFileSync(file, "utf8"), "Use tabs.\nBe short.\n");
    pty.type("\u0004");
    assert.equal(await pty.ended, 0);
  } finally {
    place.remove();
  }
});

test("[X2] a run with the practice model ends also when a tool is named that is none", async () => {
  const place = new Place();
  try {
    const ended = await place.run(undefined, ["-p", "hi", "--model", "practice", "--tools", "bogus"]);
    assert.equal(ended.code, 2);
    assert.match(ended.stderr, /There is no tool "bogus"/u);
  } finally {
    place.remove();
  }
});
