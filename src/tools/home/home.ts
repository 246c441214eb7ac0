import { createHash } from "node:crypto";
import type { Verdict } from "../../protocol/approval.ts";
import type { Egress } from "../../protocol/egress.ts";
import type { Tool } from "../../protocol/tool.ts";
import type { HomeWork } from "./home-work.ts";
import { readServiceCall, type ServiceCall } from "./service-call.ts";

/** Where the owner's Home Assistant is. */
export interface HomeOptions {
  /** Undefined: none was set, and the tools are not offered. */
  readonly url: string | undefined;
  /** A long-lived access token; asked for when one of the tools is called. Rejects with a sentence where there is none. */
  readonly token: () => Promise<string>;
  readonly egress: () => Promise<Egress>;
  /** The working folder: what is allowed for good holds in it. */
  readonly folder: string;
}

type Input = Readonly<Record<string, unknown>>;

const DOMAIN = { type: "string", description: "Such as light, switch, climate, sensor." } as const;

/** The four tools of a home (row E9). What they tell was named by others: devices, and whoever set them up. */
export function homeTools(options: HomeOptions): Tool[] {
  const tool = homeTool(options);
  return [
    tool({
      name: "ha_list_entities",
      description:
        "The things of the home (Home Assistant) with their states. Filter by domain, or by words of a name.",
      parameters: {
        type: "object",
        properties: {
          domain: DOMAIN,
          search: { type: "string", description: "Words that stand in its id or name, such as a room." },
          limit: { type: "integer", minimum: 1, maximum: 500, description: "Default: 100." },
        },
      },
      run: async (input, { signal }) => (await work(options, signal)).entities(input),
    }),
    tool({
      name: "ha_get_state",
      description: "The state of one thing of the home, with all that is known of it.",
      parameters: { type: "object", properties: { entity_id: { type: "string" } }, required: ["entity_id"] },
      run: async (input, { signal }) => (await work(options, signal)).state(input),
    }),
    tool({
      name: "ha_list_services",
      description: "What can be done in the home: all domains, or of one the services with what they take.",
      parameters: { type: "object", properties: { domain: DOMAIN } },
      run: async (input, { signal }) => (await work(options, signal)).services(input),
    }),
    callService(options, tool),
  ];
}

type Own = Pick<Tool, "name" | "description" | "parameters" | "run"> & Partial<Tool>;

const homeTool =
  ({ url }: HomeOptions) =>
  (own: Own): Tool => ({
    toolset: "home",
    effect: "pure",
    concurrency: "shared",
    untrustedOutput: true,
    available: () =>
      url === undefined ? "no home is set: evander config set home.url http://homeassistant.local:8123" : undefined,
    ...own,
  });

const callService = (options: HomeOptions, tool: (own: Own) => Tool): Tool =>
  tool({
    name: "ha_call_service",
    description:
      "Do something in the home: call a service, such as light.turn_on, for one or more entities. The user is asked.",
    parameters: {
      type: "object",
      properties: {
        domain: { type: "string" },
        service: { type: "string" },
        entity_id: {
          type: ["string", "array"],
          items: { type: "string" },
          description: "What it is done to; one id or a list.",
        },
        data: { type: "object", description: 'What else the service takes, such as {"brightness_pct": 40}.' },
      },
      required: ["domain", "service"],
    },
    effect: "effect",
    concurrency: "exclusive",
    verdict: (input) => verdictOf(input, options),
    reaches: (input) => {
      const call = readServiceCall(input);
      return call.type === "call" ? { type: "send", to: `the home: ${call.shown}` } : undefined;
    },
    run: async (input, { signal }) => (await work(options, signal)).call(input),
  });

/** Allowed for good is a service, whatever it is done to. */
function verdictOf(input: Input, { folder }: HomeOptions): Verdict {
  const call = readServiceCall(input);
  if (call.type === "refused") return { type: "deny", why: call.why };
  const why = `It calls ${call.shown} in your home.`;
  const words = [`${call.domain}.${call.service}`];
  const grant = { tool: "ha_call_service", prefix: words, folder };
  return {
    type: "ask",
    why,
    plan: { digest: digestOf(call), shown: [call.shown], parts: [{ why, words, grant }] },
  };
}

const digestOf = ({ domain, service, body }: ServiceCall): string =>
  createHash("sha256")
    .update(JSON.stringify([domain, service, body]))
    .digest("hex");

/** Loaded when a tool is called. */
const work = async (options: HomeOptions, signal: AbortSignal): Promise<HomeWork> =>
  (await import("./home-work.ts")).homeWork(options, signal);
