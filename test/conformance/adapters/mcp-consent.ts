import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import type { McpForm } from "../../../src/protocol/mcp-consent.ts";
import { judgeAuthority } from "../../../src/tools/mcp/authority.ts";
import { bearer } from "../../../src/tools/mcp/bearer.ts";
import { formDigest } from "../../../src/tools/mcp/form.ts";
import { openRedirect } from "../../../src/tools/mcp/redirect.ts";
import type { Json } from "../case-file.ts";

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : JSON.stringify(value ?? ""));

type Input = Readonly<Record<string, Json>>;

const FORM: McpForm = { type: "stdio", command: "c", args: ["a"], cwd: "/", env: ["E"], writes: [], hosts: [] };

/** What of a config is agreed to, by the words of the cases; what is not among them is a value. */
const CHANGES: readonly (readonly [said: RegExp, form: McpForm])[] = [
  [/value/u, FORM],
  [/env/u, { ...FORM, env: ["E", "F"] }],
  [/cwd|folder/u, { ...FORM, cwd: "/other" }],
  [/command/u, { ...FORM, command: "other" }],
  [/url|address/u, { type: "http", url: "https://other.test/", headers: [] }],
  [/args?/u, { ...FORM, args: ["other"] }],
];

/** Whether a server is used whose owner agreed to it as it was before. */
export function configChanged({ config_changed: what }: Input): string {
  const now = CHANGES.find(([said]) => said.test(textOf(what)))?.[1] ?? FORM;
  return formDigest(now) === formDigest(FORM) ? "allowed" : "refused";
}

/** What is done with what an authority says of itself, or with the port an answer comes to. */
export async function oauthCase({ oauth, issuer = "https://a.test" }: Input): Promise<string> {
  const said = (oauth ?? {}) as Readonly<Record<string, Json>>;
  if ("redirect" in said) return squatted();
  const whole = {
    authorization_endpoint: "https://a.test/authorize",
    token_endpoint: "https://a.test/token",
    code_challenge_methods_supported: ["S256"],
    // A document that says whose it is speaks for that one; one that names other places does not say so by itself.
    ...("token_endpoint" in said ? {} : { issuer }),
  };
  const judged = judgeAuthority({ ...whole, ...said }, { issuer: textOf(issuer), server: "https://mcp.test/" });
  return judged.type === "refused" ? "refused" : "used";
}

/** Somebody listens there already. */
async function squatted(): Promise<string> {
  const squatter = createServer();
  squatter.listen(0, "127.0.0.1");
  await once(squatter, "listening");
  const { port } = squatter.address() as AddressInfo;
  const ports = [port];
  const redirect = await openRedirect(() => ports.shift() ?? 0);
  await redirect.close();
  squatter.close();
  return redirect.address.includes(`:${port}/`) ? "the same port" : "another port";
}

const addressOf = (server: Json | undefined): string =>
  `https://${textOf(server).replaceAll(/\W+/gu, "-").toLowerCase()}.test/mcp`;

/** What was granted for one server, in a request to another. */
export async function grantedFor({ token_for: of, request_to: to }: Input): Promise<string> {
  const grant = { token: "t", tokenUrl: "https://a.test/token", clientId: "c", resource: addressOf(of) };
  const shelf = { read: () => grant, keep: () => Promise.resolve(), alone: <T>(work: () => Promise<T>) => work() };
  const given = bearer({ url: addressOf(to), shelf, fetch, now: () => 0 });
  return (await given.token(new URL(addressOf(to)))) === undefined ? "refused" : "sent";
}
