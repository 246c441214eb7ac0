import { COMMANDS } from "../../session/commands/registry.ts";

/** The rest of the one command whose name has been begun. */
export function complete(text: string): string | undefined {
  if (!/^\/[a-z]*$/u.test(text)) return undefined;
  const [only, ...others] = COMMANDS.filter(({ name }) => `/${name}`.startsWith(text));
  return only === undefined || others.length > 0 ? undefined : `/${only.name} `.slice(text.length);
}
