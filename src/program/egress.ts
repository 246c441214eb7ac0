import { readAllowance } from "../protocol/allowance-text.ts";
import type { Settings } from "../config/settings.ts";
import type { Allowance, Egress, EgressPurpose } from "../protocol/egress.ts";

/** The way out for all requests of tools, made when the first one is; its owner's own servers may be where no others may. */
export function egressFor(
  settings: Pick<Settings, "search" | "imagesModel" | "providers" | "home" | "egress">,
): () => Promise<Egress> {
  let opened: Promise<Egress> | undefined;
  const open = async (): Promise<Egress> =>
    (await import("../tools/egress/open-egress.ts")).openEgress({ allow: allowed(settings) });
  return () => (opened ??= open());
}

function allowed({ search, imagesModel = "", providers, home, egress }: Parameters<typeof egressFor>[0]): Allowance[] {
  const maker = providers.find(({ name }) => imagesModel.startsWith(`${name}/`));
  const owners = (egress.allow ?? []).flatMap((line) => readAllowance(line) ?? []);
  const named = [server(search.searxngUrl, "search"), server(maker?.baseUrl, "picture"), server(home.url, "home")];
  return [...owners, ...named.flat()];
}

function server(address: string | undefined, purpose: EgressPurpose): Allowance[] {
  const url = URL.parse(address ?? "");
  if (url === null) return [];
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return [{ for: purpose, to: url.hostname, ports: [port] }];
}
