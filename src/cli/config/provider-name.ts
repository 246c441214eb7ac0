import { CONFIG_WORDS } from "../../words/config-commands.ts";
import { usageRefusal } from "../refusal.ts";

/** The name, where it can be one. */
export function providerName(name: string): string {
  if (!/^[a-z0-9][\w-]{0,39}$/iu.test(name)) throw usageRefusal(CONFIG_WORDS.noProviderName(JSON.stringify(name)));
  return name;
}
