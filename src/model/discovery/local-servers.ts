import { type Environment, said } from "./environment.ts";
import { type LocalAddress, localAddress } from "./local-address.ts";

/** How a server is read: see the reader of that name. */
export type Reads = "ollama" | "lmstudio" | "llama-cpp" | "openai";

/** A program that serves models on this machine. */
export interface LocalProgram {
  /** As `--provider` takes it. */
  readonly id: string;
  readonly name: string;
  /** Where it listens unless it is told otherwise. */
  readonly port: number;
  readonly reads: Reads;
}

/** In the order in which they are taken. Ports are those of the programs' own documentation. */
export const LOCAL_PROGRAMS: readonly LocalProgram[] = [
  { id: "ollama", name: "Ollama", port: 11_434, reads: "ollama" },
  { id: "lmstudio", name: "LM Studio", port: 1_234, reads: "lmstudio" },
  { id: "llama-cpp", name: "llama.cpp", port: 8_080, reads: "llama-cpp" },
  { id: "vllm", name: "vLLM", port: 8_000, reads: "openai" },
  { id: "jan", name: "Jan", port: 1_337, reads: "openai" },
  // Listens where llama.cpp does: whoever answers there is told apart by /props.
  { id: "localai", name: "LocalAI", port: 8_080, reads: "llama-cpp" },
];

export const localProgram = (id: string): LocalProgram | undefined => LOCAL_PROGRAMS.find((each) => each.id === id);

/** A place to look at. */
export interface Target {
  readonly program: LocalProgram;
  readonly address: LocalAddress;
}

/** What a variable names and what is not looked at. */
export interface Unlooked {
  readonly variable: string;
  readonly value: string;
  readonly why: string;
}

export interface Targets {
  readonly look: readonly Target[];
  readonly unlooked: readonly Unlooked[];
}

/** Where to look, in place of the usual ports: `off`, or `NAME=ADDRESS,…`. */
const LOCAL_SERVERS = "EVANDER_LOCAL_SERVERS";

const ELSEWHERE = "it is not on this machine, and only this machine is searched";

/** Where servers are looked for: the usual ports, OLLAMA_HOST, or what EVANDER_LOCAL_SERVERS says. */
export function localTargets(env: Environment): Targets {
  const own = said(env[LOCAL_SERVERS]);
  if (own === "off") return { look: [], unlooked: [] };
  return own === undefined ? usualTargets(env) : ownTargets(own);
}

function usualTargets(env: Environment): Targets {
  const look: Target[] = [];
  for (const program of LOCAL_PROGRAMS) {
    const address = usualAddress(program, env);
    if (address !== undefined && !look.some((target) => samePlace(target.address, address)))
      look.push({ program, address });
  }
  const host = said(env["OLLAMA_HOST"]);
  const found = look.some(({ program }) => program.id === "ollama");
  return {
    look,
    unlooked: host === undefined || found ? [] : [{ variable: "OLLAMA_HOST", value: host, why: ELSEWHERE }],
  };
}

/** Ollama listens where OLLAMA_HOST says; undefined when that is another machine. */
function usualAddress({ id, port }: LocalProgram, env: Environment): LocalAddress | undefined {
  const host = id === "ollama" ? said(env["OLLAMA_HOST"]) : undefined;
  return host === undefined ? { host: "127.0.0.1", port } : localAddress(host, port);
}

const samePlace = (a: LocalAddress, b: LocalAddress): boolean => a.host === b.host && a.port === b.port;

function ownTargets(text: string): Targets {
  const look: Target[] = [];
  const unlooked: Unlooked[] = [];
  for (const value of text.split(",").map((each) => each.trim())) {
    const [name = "", place = ""] = value.split("=", 2);
    const program = localProgram(name);
    const address = program === undefined ? undefined : localAddress(place, program.port);
    if (program !== undefined && address !== undefined) look.push({ program, address });
    else unlooked.push({ variable: LOCAL_SERVERS, value, why: program === undefined ? NO_PROGRAM : ELSEWHERE });
  }
  return { look, unlooked };
}

const NO_PROGRAM = `it begins with none of ${LOCAL_PROGRAMS.map(({ id }) => `${id}=`).join(", ")}`;

/** Where a program is looked for when it is named; undefined when that is another machine. */
export function targetOf(program: LocalProgram, env: Environment): Target | undefined {
  const known = localTargets(env).look.find((target) => target.program.id === program.id);
  if (known !== undefined) return known;
  const address = usualAddress(program, env);
  return address && { program, address };
}
