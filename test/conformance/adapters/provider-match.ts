import { hosted } from "../../../src/model/discovery/catalogue.ts";
import { keysInOrder } from "../../../src/model/keyed-servers.ts";
import { providerNamed } from "../../../src/model/match-provider.ts";
import type { Json } from "../case-file.ts";
import { objectOf, textOf } from "../input.ts";

/** `{model, providers: {name: {apiKey}}, provider}`: the keys lie in the variables of their providers. */
export function providerMatchCase(input: Json): unknown {
  const { model, providers, provider } = objectOf(input, "input");
  const named = textOf(provider, "provider");
  const keys = Object.entries(objectOf(providers, "providers")).map(([name, settings]) => [
    hosted(name)?.keys[0] ?? name,
    textOf(objectOf(settings, name)["apiKey"], "apiKey"),
  ]);
  const query = {
    model: textOf(model, "model"),
    env: Object.fromEntries(keys) as Record<string, string>,
    ...(named !== "auto" && { provider: named }),
  };
  const found = named === "auto" ? (providerNamed(query) ?? keysInOrder(query)[0]?.entry.id) : named;
  return { provider_name: found?.replaceAll("-", "_") ?? null };
}
