import type { ProviderRow } from "../protocol/provider.ts";
import { secretsIn, withoutSecrets } from "./secrets.ts";
import { openEndpoint } from "./endpoint.ts";
import { modelsOf, type Server } from "./hosted-server.ts";
import { inBoth } from "./no-provider.ts";
import type { Surveyed } from "./survey.ts";

/** Asks every provider that is ready for its models, all at once; no model is asked anything. */
export const listHosted = (surveyed: readonly Surveyed[]): Promise<ProviderRow[]> =>
  Promise.all(
    surveyed.map(async ({ row, server }) =>
      row.state === "ready" && server !== undefined ? listed(row, server) : row,
    ),
  );

async function listed(row: ProviderRow, server: Server): Promise<ProviderRow> {
  const endpoint = openEndpoint(server.baseUrl);
  try {
    const list = await modelsOf(server, endpoint);
    if (list.type === "listed") {
      const models = list.models.map((id) => ({ id, contextWindow: null, longestContext: null, tools: null }));
      return { ...row, models };
    }
    const open = withoutSecrets(list.why, secretsIn(server.apiKey));
    return { ...row, problem: inBoth(`It could not be asked for its models: ${open}.`, `无法查询它的模型：${open}。`) };
  } finally {
    endpoint.close();
  }
}
