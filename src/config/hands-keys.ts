import type { Key } from "./keys.ts";
import { MOST_MINUTES } from "./limits.ts";

const chars = (name: string, usual: number, most: number, meaning: string): Key => ({
  name: `results.${name}`,
  takes: { type: "count", of: "characters", most },
  meaning,
  usual,
  project: "lower",
});

const most = (name: string, of: string, usual: number, meaning: string): Key => ({
  name: `terminal.${name}`,
  takes: { type: "count", of },
  meaning,
  usual,
  project: "lower",
});

const elsewhere = (name: string, usually: string, meaning: string): Key => ({
  name: `terminal.${name}`,
  takes: { type: "text" },
  meaning,
  usually,
  project: "nothing",
});

const list = (name: string, usually: string, meaning: string): Key => ({
  name: `tools.${name}`,
  takes: { type: "words" },
  meaning,
  usually,
  project: "nothing",
});

const folders = (access: string, meaning: string): Key => ({
  name: `files.${access}`,
  takes: { type: "files" },
  meaning,
  usually: "none",
  project: "nothing",
});

/** What decides which tools there are, and how much of their results is told (rows E1, E8). */
export const HANDS_KEYS: readonly Key[] = [
  list("sets", "all", "tools, or sets of them, that are offered; --tools names them for one run"),
  list("off", "none", "tools, or sets of them, that are not offered, whatever else names them"),
  {
    name: "tools.files",
    takes: { type: "files" },
    meaning: "files, folders or packages with tools of your own; they run as you",
    usually: "what lies in the folder tools beside this file",
    project: "nothing",
  },
  folders("read", "folders beside the working folder that tools read without a question"),
  folders("write", "folders beside the working folder that tools read and write as they do there"),
  {
    name: "approval.minutes",
    takes: { type: "count", of: "minutes", most: MOST_MINUTES },
    meaning: "how long your yes holds until its call runs, such as in a parked turn; after that you are asked again",
    usual: 10,
    project: "lower",
  },
  {
    name: "terminal.env",
    takes: { type: "variables" },
    meaning: "variables of yours that commands get besides PATH, HOME, LANG and the like, such as GITHUB_TOKEN",
    usually: "none",
    project: "nothing",
  },
  chars("limit", 100_000, 100_000, "the longest result of a tool that is told whole; a longer one lies in a file"),
  chars("preview", 512, 20_000, "how much of a longer result is shown beside its file"),
  chars("batch", 200_000, 1_000_000, "what all results of one reply may have together before the largest go to files"),
  most("timeout", "seconds", 180, "how long a command may run that does not say how long itself"),
  most("background", "processes", 4, "background processes that a session may have at once"),
  {
    name: "terminal.backend",
    takes: { type: "choice", of: ["local", "docker", "ssh"] },
    meaning: "where commands run; the tools for files work on this machine in any case",
    usual: "local",
    project: "nothing",
  },
  elsewhere("docker.image", "none", "the image of the container in which a session's commands run"),
  elsewhere("ssh.host", "none", "the machine on which commands run, as ssh knows it"),
  elsewhere("ssh.folder", "the same path as here", "the working folder there"),
  most("limits.processes", "processes", 256, "processes a command may add to those that run; not for root"),
  most("limits.memory", "megabytes", 4_096, "memory of each process of a command"),
  most("limits.files", "files", 512, "files that a process of a command may have open"),
  most("limits.fileSize", "megabytes", 2_048, "how large a file may become that a command writes"),
];
