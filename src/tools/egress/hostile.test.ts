import { expect, test } from "vitest";
import { EgressRefusal } from "../../protocol/egress.ts";
import { recordedEgress } from "../../../test/support/recorded-egress.ts";
import { edgeRounds, urlRounds } from "../../../test/support/ssrf-rounds.ts";

const signal = new AbortController().signal;

test("[R20] the first and the last address of every range, and those beside them, in fifteen encodings", () => {
  expect(edgeRounds().wrong).toEqual([]);
});

test("[R20] what a resolver says: many lookups or none, mixed kinds, and answers that change", async () => {
  const answers = [["93.184.216.34"], ["127.0.0.1"]];
  const rebinding = recordedEgress((_, response) => response.end(), { resolve: async () => answers.shift() ?? [] });
  await rebinding.egress.request({ url: "http://rebind.test/", purpose: "tool", signal });
  expect([rebinding.lookups, rebinding.dials]).toEqual([
    ["rebind.test"],
    [{ host: "rebind.test", port: 80, address: "93.184.216.34" }],
  ]);
  for (const found of [
    ["127.0.0.1"],
    ["93.184.216.34", "::1"],
    ["2606:4700::1", "::ffff:7f00:1"],
    ["fe80::1%eth0"],
    ["x"],
  ]) {
    const { egress, dials } = recordedEgress((_, response) => response.end(), { resolve: async () => found });
    await expect(egress.request({ url: "http://a.test/", purpose: "tool", signal })).rejects.toThrow(EgressRefusal);
    expect(dials).toEqual([]);
  }
});

test("[NET-02] hosts in other words for this machine are refused, and nothing is dialled", async () => {
  const hosts =
    "2130706433 0x7f.0.0.1 0177.0.0.1 127.1 0 localhost. LOCALHOST 7f000001.nip.io [fd00::1] [fe80::1%25eth0] " +
    "[64:ff9b::7f00:1] [2002:7f00:1::] user@127.0.0.1 127.0.0.1#@ok.test";
  const { egress, dials } = recordedEgress((_, response) => response.end(), { resolve: async () => ["127.0.0.1"] });
  for (const host of hosts.split(" "))
    await expect(egress.request({ url: `http://${host}/`, purpose: "tool", signal })).rejects.toThrow(EgressRefusal);
  expect(dials).toEqual([]);
});

test("[NET-01] a redirect into the cloud's keys is refused where it leads", async () => {
  const { egress, dials } = recordedEgress(
    (_, response) => response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data/" }).end(),
    { resolve: async () => ["93.184.216.34"] },
  );
  for (const url of ["http://ok.test/", "http://[::ffff:169.254.169.254]/", "http://[::ffff:7f00:1]:8080/"])
    await expect(egress.request({ url, purpose: "tool", signal })).rejects.toMatchObject({ kind: "blocked" });
  expect(dials.map(({ host }) => host)).toEqual(["ok.test"]);
});

test("[R20] of random URLs the host that was judged is the one that is dialled", async () => {
  expect(await urlRounds(500)).toMatchObject({ strays: [] });
});
