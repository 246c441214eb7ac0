import { objectOf, objectsIn, string } from "../reading.ts";

/** The ids in the answer of ListFoundationModels. */
export function listed(list: unknown): readonly string[] | undefined {
  const { modelSummaries: models } = objectOf(list);
  if (!Array.isArray(models)) return undefined;
  return objectsIn(models).flatMap(({ modelId }) => (string(modelId) === "" ? [] : [string(modelId)]));
}
