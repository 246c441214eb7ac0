import type { HandsOptions } from "../cli/adapters.ts";
import type { Io } from "../cli/io.ts";
import type { Egress } from "../protocol/egress.ts";
import type { BuiltInOptions } from "../tools/built-in.ts";

type Asked = Pick<HandsOptions, "settings" | "folders">;

/** The variable in which the token of a home lies everywhere. */
const TOKEN_VARIABLE = "HASS_TOKEN";

/** The owner's home, as its tools are given it: its token is read when one of them is called. */
export function homeOf(
  { settings: { home }, folders }: Asked,
  { env }: Pick<Io, "env">,
  egress: () => Promise<Egress>,
): Required<BuiltInOptions>["homeAssistant"] {
  const { url, token = { env: TOKEN_VARIABLE } } = home;
  return {
    url,
    token: async () => {
      const { readSecret } = await import("../config/secrets.ts");
      return readSecret(token, { env, folders: folders === undefined ? [] : [folders.config] });
    },
    egress,
  };
}
