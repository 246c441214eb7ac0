import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { History } from "./history.ts";

function inFolder(use: (path: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "evander-history-"));
  try {
    use(join(folder, "state", "history"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("[J7] one goes back line by line, and forward to what was being written", () => {
  inFolder((path) => {
    const history = new History(path);
    for (const line of ["one", "two", "two", "  "]) history.add(line);
    expect([history.previous("dra"), history.previous("two"), history.previous("one")]).toEqual([
      "two",
      "one",
      undefined,
    ]);
    expect([history.next(), history.next(), history.next()]).toEqual(["two", "dra", undefined]);
    expect(new History(path).previous("")).toBe("two");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});

test("[SEC-05] lines that look as if they held a secret are not kept", () => {
  inFolder((path) => {
    const history = new History(path);
    const secrets = [
      "export OPENAI_API_KEY=abcdef123456",
      "my password: hunter2hunter2",
      "sk-proj-0123456789abcdef",
      "use ghp_0123456789abcdefghij",
      "AKIAIOSFODNN7EXAMPLE and so on",
      "postgres://me:secretpass@host/db",
      "-----BEGIN RSA PRIVATE KEY-----",
    ];
    for (const line of [...secrets, "where is the token counter?", "a key idea"]) history.add(line);
    expect(readFileSync(path, "utf8")).toBe('"where is the token counter?"\n"a key idea"\n');
  });
});

test("[J7] a file that is broken, too long or not ours costs nothing but old lines", () => {
  inFolder((path) => {
    new History(path).add("first");
    appendFileSync(path, 'not json\n{"a":1}\n');
    writeFileSync(
      path,
      `${readFileSync(path, "utf8")}${Array.from({ length: 2_500 }, (_, at) => `"line ${at}"\n`).join("")}`,
    );
    expect(new History(path).previous("")).toBe("line 2499");
    expect(readFileSync(path, "utf8").split("\n")).toHaveLength(1_001);
    expect(() => new History("/proc/nowhere/history").add("x")).not.toThrow();
    chmodSync(path, 0o600);
  });
});
