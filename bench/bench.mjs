// node bench/bench.mjs SECTION... [--peers a,b] [--rounds N] [--calm MS] [--out FILE.json]
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Mock } from "./harness/mock.mjs";
import { listPeers, preparePeers } from "./harness/peers.mjs";
import { runSection, SECTIONS } from "./harness/sections.mjs";
import { sectionTables } from "./harness/table.mjs";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    peers: { type: "string" },
    rounds: { type: "string", default: "3" },
    calm: { type: "string", default: "12000" },
    out: { type: "string" },
  },
});
const wanted = SECTIONS.filter((section) => positionals.includes(section.name));
if (wanted.length === 0 || wanted.length < positionals.length) {
  const list = SECTIONS.map(({ name, about }) => `  ${name.padEnd(11)} ${about}`).join("\n");
  process.stderr.write(`Name one or more sections:\n${list}\n`);
  process.exit(64);
}

/** @param {string} line */
const report = (line) => process.stderr.write(`${line}\n`);
const names = values.peers?.split(",") ?? listPeers().map((peer) => peer.name);
const peers = await preparePeers(names, report);
const mock = await Mock.start();
/** @type {Record<string, import("./harness/sections.mjs").Sample[]>} */
const samples = {};
try {
  for (const section of wanted) {
    const bench = { mock, calmMs: Number(values.calm) };
    const taken = await runSection(section, { peers, rounds: Number(values.rounds), bench, report });
    samples[section.name] = taken;
    process.stdout.write(`\n### ${section.name}: ${section.about}\n\n${sectionTables(taken)}\n`);
  }
} finally {
  mock.stop();
}
if (values.out !== undefined) {
  const document = { date: new Date().toISOString(), node: process.version, samples };
  writeFileSync(values.out, `${JSON.stringify(document, null, 1)}\n`);
}
