import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { policyLab, type PolicyLab } from "../../../test/support/policy-lab.ts";

// What somebody has put into a working folder makes no command that only looks do more than look.

let base = "";
let lab: PolicyLab;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "evander-hostile-")));
  lab = policyLab(base);
});

afterEach(() => {
  rmSync(base, { recursive: true });
});

function put(path: string, text = "KEY=CANARY\n"): void {
  mkdirSync(dirname(join(lab.cwd, path)), { recursive: true });
  writeFileSync(join(lab.cwd, path), text);
}

const judged = (command: string): string => lab.verdict(command).type;

test("[E10] diff of two folders reads their files, and those behind their links, so it is asked about like them", () => {
  expect(judged("diff src docs")).toBe("auto");
  symlinkSync("/etc/passwd", join(lab.cwd, "docs/package.json"));
  expect(judged("diff package.json docs")).toBe("ask");
  put("src/old/.env");
  put("test/old/.env", "");
  expect(judged("diff src/old test/old")).toBe("ask");
  for (const side of ["one", "two"]) {
    mkdirSync(join(lab.cwd, side));
    symlinkSync(join(lab.cwd, "src/old"), join(lab.cwd, side, "linked"));
  }
  expect(judged("diff -r one two")).toBe("ask");
});

test("[E10] a folder that find names by its ending is judged with all that is in it", () => {
  put("parts/x.d/plain", "");
  expect(judged("find . -name '*.d' | xargs grep -r KEY")).toBe("auto");
  put("parts/x.d/server.pem");
  expect(judged("find . -name '*.d' | xargs grep -r KEY")).toBe("ask");
  expect(judged("find parts/x.d -name '*.d' | xargs grep -r KEY")).toBe("ask");
});

// Other systems take no such names.
test.runIf(process.platform === "linux")(
  "[E10] a file whose name is no text is matched by no pattern, and by no search, unasked",
  () => {
    expect(judged("cat docs/*.md")).toBe("auto");
    const folder = Buffer.from(`${lab.cwd}/docs/`);
    symlinkSync("/etc/passwd", Buffer.concat([folder, Buffer.from([0xff]), Buffer.from(".md")]));
    expect(judged("cat docs/*.md")).toBe("ask");
    expect(judged("find docs -name '*.md' | xargs cat")).toBe("ask");
    expect(judged("grep -r KEY docs")).toBe("ask");
    expect(judged("cat docs/guide.md")).toBe("auto");
  },
);

test("[E10] a folder that only looks like a repository hides no settings of the one above it", () => {
  put(".git/config", '[diff]\n\texternal = "sh -c id"\n');
  expect(judged("cd src && git diff")).toBe("ask");
  put("src/.git/config", "[core]\n\tbare = false\n");
  expect(judged("cd src && git diff")).toBe("ask");
  put("src/.git/HEAD", "nothing\n");
  for (const name of ["objects", "refs"]) mkdirSync(join(lab.cwd, "src/.git", name));
  expect(judged("cd src && git diff")).toBe("ask");
});

test("[E10] a project that chooses its own programs is asked about before their versions are told", () => {
  expect(judged("node --version")).toBe("auto");
  put(".tool-versions", "nodejs path:./evil\n");
  expect(judged("node --version")).toBe("ask");
});
