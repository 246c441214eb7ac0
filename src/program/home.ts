import type { HandsOptions } from "../cli/adapters.ts";
import type { Io } from "../cli/io.ts";
import type { Allowance, Egress } from "../protocol/egress.ts";
import type { BuiltInOptions } from "../tools/built-in.ts";

type Asked = Pick<HandsOptions, "settings" | "folders">;

/** The variable in which the token of a home lies everywhere. */
const TOKEN_VARIABLE = "HASS_TOKEN";

/** The owner's home, as its tools are given it: its token is read, and the way to it opened, when one of them is called. */
export function homeOf(
  { settings: { home }, folders }: Asked,
  { env }: Pick<Io, "env">,
): Required<BuiltInOptions>["homeAssistant"] {
  const { url, token = { env: TOKEN_VARIABLE } } = home;
  let egress: Promise<Egress> | undefined;
  return {
    url,
    token: async () => {
      const { readSecret } = await import("../config/secrets.ts");
      return readSecret(token, { env, folders: folders === undefined ? [] : [folders.config] });
    },
    egress: async () => (egress ??= opened(url)),
  };
}

const opened = async (url: string | undefined): Promise<Egress> =>
  (await import("../tools/egress/open-egress.ts")).openEgress({ allow: allowed(url) });

/** The owner has named this address, and no other one of their network. */
function allowed(url: string | undefined): Allowance[] {
  const { hostname = "", port = "", protocol = "" } = URL.parse(url ?? "") ?? {};
  const usual = protocol === "https:" ? 443 : 80;
  return hostname === "" ? [] : [{ for: "home", to: hostname, ports: [port === "" ? usual : Number(port)] }];
}
