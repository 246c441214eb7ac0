import { expect, test } from "vitest";
import type { Layer } from "./entry.ts";
import { resolveLayers } from "./resolve.ts";
import { readValue, type Value } from "./values.ts";

test("[X6] hosts are named, not numbered: what a name means is looked up when it is reached", () => {
  const hosts = (given: string): Value | undefined => readValue({ type: "hosts" }, given);
  expect(hosts("Registry.npmjs.org,*.pypi.org")).toEqual(["registry.npmjs.org", "*.pypi.org"]);
  const strange = ["*", "*.org.", "10.0.0.1", "a.b:443", "https://a.b", "a.b/c", "a..b", "-a.b", "a.*.b", "m\u00FC.de"];
  for (const host of [...strange, "localhost", "[::1]", "a.b\0.c", `${"a".repeat(64)}.de`])
    expect(hosts(host)).toBeUndefined();
});

test("[X6] a project may ask for a stricter sandbox, and for no wider one", () => {
  const mode = (user: string, project: string): Value | undefined => {
    const of = (name: "user" | "project", value: string): Layer => ({
      name,
      entries: [{ key: "sandbox.mode", value, layer: name, place: name }],
      troubles: [],
    });
    return resolveLayers([of("user", user), of("project", project)]).entries.get("sandbox.mode")?.value;
  };
  expect(mode("auto", "off")).toBe("auto");
  expect(mode("off", "workspace")).toBe("workspace");
  expect(mode("workspace", "auto")).toBe("workspace");
  expect(mode("auto", "read-only")).toBe("read-only");
});
