import { join } from "node:path";
import { type Folders, rootFolders } from "../config/folders.ts";
import { MCP_FILE, type McpGiven, readMcpFile } from "../config/mcp-import.ts";
import type { Given, McpServerSetting } from "../config/mcp-setting.ts";
import { readSecret } from "../config/secrets.ts";
import { grantShelf } from "../credentials/server-grants.ts";
import type { Fetch } from "../protocol/egress.ts";
import type { Io } from "../cli/io.ts";
import { childEnvironment } from "../protocol/child-environment.ts";
import type { Listing, McpServer, Reach } from "../protocol/mcp.ts";
import {
  type McpBook,
  McpError,
  type McpForm,
  type McpFormed,
  type McpLook,
  type McpProposal,
  type McpRow,
  type McpStanding,
} from "../protocol/mcp-consent.ts";
import { reasonOf } from "../protocol/reason-of.ts";
import type { Sandbox } from "../protocol/sandbox.ts";
import type { ToolSource } from "../protocol/tool-source.ts";
import { type Consent, type Consents, withConsent } from "../tools/mcp/consent.ts";
import { changedFields, formDigest } from "../tools/mcp/form.ts";
import { admitted, type Agreed, differences } from "../tools/mcp/pins.ts";
import { systemClock } from "../session/system-clock.ts";
import { mcpTools } from "../tools/mcp/desk.ts";
import type { Text } from "../words/language.ts";
import { DAMAGED, lostServer, notConnected, notIn, unreadableConsents, unusedServer } from "../words/mcp.ts";
import { privateFile } from "../agent/private-file.ts";
import { CONSENTS, consentsOf } from "./mcp-consents.ts";
import { formOf } from "./mcp-forms.ts";

/** Where servers are named, and with what they are reached. */
export interface McpPlace {
  readonly servers: readonly McpServerSetting[];
  readonly folders: Pick<Folders, "config" | "data" | "state">;
  /** Where the tools work. */
  readonly cwd: string;
  readonly io: Pick<Io, "env" | "home" | "platform">;
}

/** The ways out of this program. */
export interface McpWays {
  readonly sandbox?: Sandbox;
  /** For the server at this address alone. */
  readonly fetchTo?: (url: string) => Fetch;
}

const NOTHING: Agreed = { tools: [] };

/** What its owner may see of their servers, and decide. */
export function openMcpBook(place: McpPlace, ways: McpWays): McpBook {
  const file = privateFile(place.folders.data, CONSENTS);
  const named = (name: string): McpServerSetting & { readonly form: McpForm } => {
    const server = place.servers.find((each) => each.name === name);
    if (server === undefined) throw new McpError("unknown", notIn(name, place.servers));
    const formed = formOf(server, place.io.home);
    if (formed.type === "invalid") throw new McpError("invalid", formed.why);
    return { ...server, form: formed.form };
  };
  const shelf = (name: string): ReturnType<typeof grantShelf> => grantShelf(place.folders.state, name, Date.now);
  const change = async (how: (text: string | undefined) => string): Promise<void> => {
    try {
      await file.change(how);
    } catch (error) {
      throw new McpError("store", unreadableConsents(reasonOf(error)));
    }
  };
  return {
    form: (given) => Promise.resolve(formOf(given, place.io.home)),
    rows: () => Promise.resolve(place.servers.map((server) => rowOf(server, consentsOf(file), place))),
    proposals: () => Promise.resolve(proposalsIn(place)),
    look: async (name, signal) => {
      const { form } = named(name);
      const agreed = agreedOf(consentsOf(file).kept.get(name), form) ?? NOTHING;
      return lookAt(serverOf(named(name), place, { agreed, all: true, ways }), agreed, {
        ways,
        cwd: place.cwd,
        signal,
      });
    },
    agree: async (name, listing) => {
      const { form } = named(name);
      await change((text) => withConsent(text, name, { form, listing, sinceMs: Date.now() }));
    },
    forget: async (name) => {
      const { kept, damaged } = consentsOf(file);
      const isKept = kept.has(name) || damaged.has(name);
      const isGranted = shelf(name).read() !== undefined;
      if (isKept) await change((text) => withConsent(text, name, undefined));
      if (isGranted) await shelf(name).keep(undefined);
      return isKept || isGranted;
    },
    login: async (name, tell, signal) => {
      const { form } = named(name);
      const fetch = form.type === "http" ? ways.fetchTo?.(form.url) : undefined;
      if (form.type !== "http" || fetch === undefined) throw new McpError("login", NO_LOGIN);
      const { logIn } = await import("../tools/mcp/log-in.ts");
      const show = (address: string): Promise<void> => tell({ address });
      try {
        await logIn({ url: form.url, shelf: shelf(name), fetch, now: Date.now, tell: show }, signal);
      } catch (error) {
        throw new McpError("login", notConnected(name, reasonOf(error)));
      }
    },
  };
}

const NO_LOGIN = {
  en: "Only a server behind an address is logged in to; a program gets what it needs as variables.",
  zh: "只有通过地址访问的服务器才需要登录；程序所需的内容以环境变量给出。",
};

/** What holds of a consent for a server as it is written now. */
function agreedOf(consent: Consent | undefined, form: McpForm): Agreed | undefined {
  if (consent === undefined || formDigest(consent.form) !== formDigest(form)) return undefined;
  return consent.listing ?? NOTHING;
}

function standingOf(
  { name, enabled }: McpServerSetting,
  formed: McpFormed,
  { kept, damaged, why }: ReturnType<typeof consentsOf>,
): McpStanding {
  if (formed.type === "invalid") return { type: "invalid", why: formed.why };
  if (!enabled) return { type: "disabled" };
  if (damaged.has(name) || damaged.has("*"))
    return { type: "damaged", why: why === undefined ? DAMAGED : unreadableConsents(why) };
  const consent = kept.get(name);
  if (consent === undefined) return { type: "new" };
  const agreed = agreedOf(consent, formed.form);
  if (agreed === undefined) return { type: "changed", fields: changedFields(consent.form, formed.form) };
  return { type: "agreed", tools: agreed.tools.map((tool) => tool.name), sinceMs: consent.sinceMs };
}

function rowOf(server: McpServerSetting, consents: Consents, { folders, io }: McpPlace): McpRow {
  const formed = formOf(server, io.home);
  const form = formed.type === "form" ? formed.form : undefined;
  const { name, place } = server;
  return {
    name,
    place,
    form,
    standing: standingOf(server, formed, consents),
    ...(form?.type === "http" && { loggedIn: grantShelf(folders.state, name, Date.now).read() !== undefined }),
  };
}

/** What a file of the working folder would have: it is read, and nothing in it is done. */
function proposalsIn({ servers, cwd, io }: McpPlace): readonly McpProposal[] {
  const path = join(cwd, MCP_FILE);
  const found = readMcpFile(path);
  if (found.type !== "servers") return [];
  return found.servers.map((given) => proposalOf(given, path, { servers, home: io.home }));
}

function proposalOf(
  given: McpGiven,
  file: string,
  { servers, home }: { readonly servers: readonly McpServerSetting[]; readonly home: string },
): McpProposal {
  const formed = formOf(given, home);
  const own = servers.find(({ name }) => name === given.name);
  const known = own === undefined ? "no" : isSameForm(formed, formOf(own, home)) ? "same" : "other";
  if (formed.type === "form") return { name: given.name, file, form: formed.form, known };
  return { name: given.name, file, form: undefined, why: formed.why, known };
}

const isSameForm = (a: McpFormed, b: McpFormed): boolean =>
  a.type === "form" && b.type === "form" && formDigest(a.form) === formDigest(b.form);

interface Looking {
  readonly ways: McpWays;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

async function lookAt(server: McpServer, agreed: Agreed, { ways, cwd, signal }: Looking): Promise<McpLook> {
  const [{ connectOnce }, { markersOf }] = await Promise.all([
    import("../tools/mcp/connect-once.ts"),
    import("../tools/mcp/markers.ts"),
  ]);
  const began = performance.now();
  try {
    const once = await connectOnce(server, { ...ways, folder: cwd, clock: systemClock }, signal);
    const { listing } = once;
    await once.close();
    return {
      listing,
      changes: differences(agreed, listing),
      markers: new Map(listing.tools.map((tool) => [tool.name, markersOf(tool)])),
      names: new Map(once.tools.map(({ tool, listed }) => [listed, tool.name])),
      withheld: once.withheld,
      ms: Math.round(performance.now() - began),
    };
  } catch (error) {
    const isLogin = error instanceof Error && /\bevander mcp login\b/u.test(error.message);
    throw new McpError(isLogin ? "login" : "unreachable", notConnected(server.name, reasonOf(error)));
  } finally {
    await ways.sandbox?.close();
  }
}

/** Which of its tools may be used; `all`: its owner looks at them, and none is called. */
interface Admitting {
  readonly agreed: Agreed;
  readonly all?: true;
  readonly ways: McpWays;
}

function serverOf(
  server: McpServerSetting & { readonly form: McpForm },
  place: McpPlace,
  { agreed, all, ways }: Admitting,
): McpServer {
  const { name, timeout, startTimeout, parallel, idempotent, unasked, tools, off } = server;
  return {
    name,
    reach: reachOf(server, place, ways),
    ...(timeout !== undefined && { callMs: timeout * 1_000 }),
    ...(startTimeout !== undefined && { initMs: startTimeout * 1_000 }),
    ...(parallel && { parallel }),
    idempotent,
    unasked,
    ...(tools.length > 0 && { only: tools }),
    off,
    admit: (listing: Listing) =>
      Promise.resolve(all === true ? new Set(listing.tools.map((tool) => tool.name)) : admitted(agreed, listing)),
  };
}

function reachOf(
  { form, name, env, headers }: McpServerSetting & { readonly form: McpForm },
  place: McpPlace,
  { fetchTo }: McpWays,
): Reach {
  const { folders, io } = place;
  const secrets = { env: io.env, folders: [folders.config, rootFolders(io).config] };
  const read = async (given: Readonly<Record<string, Given>>): Promise<Readonly<Record<string, string>>> => {
    const entries = Object.entries(given).map(
      async ([key, value]) => [key, typeof value === "string" ? value : await readSecret(value, secrets)] as const,
    );
    return Object.fromEntries(await Promise.all(entries));
  };
  if (form.type === "http") {
    const grants = grantShelf(folders.state, name, Date.now);
    const fetch = fetchTo?.(form.url);
    return { type: "http", url: form.url, headers: () => read(headers), grants, ...(fetch && { fetch }) };
  }
  const { command, args, cwd, writes, hosts } = form;
  return {
    type: "stdio",
    command,
    args,
    cwd,
    env: async () => ({ ...childEnvironment(io.env), ...(await read(env)) }),
    needs: { writes, hosts },
  };
}

/** The servers that are used: their owner has agreed to each as it is written now. */
function agreedServers(place: McpPlace, ways: McpWays): readonly McpServer[] {
  const { kept } = consentsOf(privateFile(place.folders.data, CONSENTS));
  return place.servers.flatMap((server) => {
    const formed = formOf(server, place.io.home);
    if (!server.enabled || formed.type === "invalid") return [];
    const agreed = agreedOf(kept.get(server.name), formed.form);
    return agreed === undefined ? [] : [serverOf({ ...server, form: formed.form }, place, { agreed, ways })];
  });
}

interface Opening extends McpWays {
  readonly waitMs?: number;
  readonly tell: (sentence: Text) => void;
}

/** The servers that are used, connected when tools are first asked for. Their owner is told once of each that is not. */
export function openServers(place: McpPlace, { tell, ...ways }: Opening): ToolSource {
  const consents = consentsOf(privateFile(place.folders.data, CONSENTS));
  for (const server of place.servers) {
    const { name, standing } = rowOf(server, consents, place);
    if (standing.type !== "agreed" && standing.type !== "disabled") tell(unusedServer(name, standing));
  }
  return mcpTools(agreedServers(place, ways), {
    ...ways,
    folder: place.cwd,
    clock: systemClock,
    tell: (name, why) => tell(lostServer(name, why)),
  });
}
