import type { Key } from "./keys.ts";

/** What stands around the commands that run on this machine (row X6, security §3.3). */
export const SANDBOX_KEYS: readonly Key[] = [
  {
    name: "sandbox.mode",
    // From what allows least: a project may name an earlier one.
    takes: { type: "choice", of: ["read-only", "workspace", "auto", "off"] },
    meaning:
      "what commands may do on this machine: write nothing, or in the working folder alone, in both without a network; " +
      "auto: the latter where the system has a sandbox, else what you may; off: what you may; questions are asked in any case",
    usual: "auto",
    project: "earlier",
  },
  {
    name: "sandbox.hosts",
    takes: { type: "hosts" },
    meaning: "hosts that commands reach from inside the sandbox, such as registry.npmjs.org or *.pypi.org",
    usually: "none",
    project: "nothing",
  },
  {
    name: "sandbox.write",
    takes: { type: "files" },
    meaning: "folders beside the working folder that commands write in, such as the cache of a package manager",
    usually: "none",
    project: "nothing",
  },
  {
    name: "sandbox.read",
    takes: { type: "files" },
    meaning: "files and folders of your home that commands see; the rest of it is hidden but for what programs lie in",
    usually: "none",
    project: "nothing",
  },
];
