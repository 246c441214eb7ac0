import { isObject } from "../../protocol/json.ts";
import { objectOf, string } from "../reading.ts";

/** People and catalogues name the maker too; the API has its own models below `models/`, tuned ones elsewhere. */
export const bareModel = (model: string): string => model.trim().replace(/^google\//, "");

export function modelPath(model: string): string {
  const bare = bareModel(model);
  const path = /^(?:models|tunedModels)\//.test(bare) ? bare : `models/${bare}`;
  return path.split("/").map(encodeURIComponent).join("/");
}

/** The models that generate; a list without methods names all. */
export function listed(list: unknown): readonly string[] | undefined {
  const { models } = objectOf(list);
  if (!Array.isArray(models)) return undefined;
  return models.filter(isObject).flatMap(({ name, supportedGenerationMethods: methods }) => {
    const generates = !Array.isArray(methods) || methods.includes("generateContent");
    return generates && string(name) !== "" ? [string(name).replace(/^models\//, "")] : [];
  });
}
