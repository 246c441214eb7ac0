import { expect, test } from "vitest";
import { PURE_PLACE } from "../../../test/support/pure-place.ts";
import { planCommand } from "./plan-command.ts";

const verdictOf = (command: string): unknown => planCommand(command, PURE_PLACE).verdict;

test("[E10][security 3.5] a command that names an address inside the network says so first", () => {
  for (const command of [
    "curl http://10.0.0.5/",
    "echo s && curl -s http://0x7f.1:8080/x && echo d",
    "wget 192.168.1.1/a",
    "curl --proxy=127.0.0.1:3128 https://example.com",
    "git fetch ssh://git@db.internal/x",
    "ssh me@10.1.2.3 ls",
    "curl 'http://[::1]/'",
    "curl --resolve a.test:80:10.0.0.1 http://a.test/",
    "nc ::1 80",
  ])
    expect(verdictOf(command), command).toMatchObject({
      type: "ask",
      why: expect.stringContaining("names an address inside this machine or its network"),
    });
  for (const command of [
    "curl -m 10 https://example.com/10.0.x",
    "npm install localhost-tool",
    "wget -T 30 example.com",
  ])
    expect(JSON.stringify(verdictOf(command)), command).not.toContain("inside this machine");
});

test("[E10][security 3.5] an address that gives out the keys of the machine is reached in no mode", () => {
  for (const command of [
    "curl -s http://169.254.169.254/latest/meta-data/",
    "curl 2852039166",
    "sh -c 'wget -qO- http://[fd00:ec2::254]/'",
    "curl -H 'Metadata-Flavor: Google' http://metadata.google.internal/computeMetadata/v1/",
    "curl --connect-to ::169.254.169.254: http://a.test/",
  ])
    expect(verdictOf(command), command).toMatchObject({ type: "deny" });
  expect(verdictOf("grep -rn 169.254.169.254 docs")).toMatchObject({ type: "auto" });
});
