import { findModel } from "../agent/find-model.ts";
import type { RuntimeOptions } from "../cli/adapters.ts";
import type { Io } from "../cli/io.ts";
import { namedModel } from "../config/model-asked.ts";
import { billOf, costOf, type Price, priceOf } from "../protocol/money.ts";
import { NO_USAGE, type Usage } from "../protocol/outcome.ts";
import type { ProviderFound } from "../protocol/provider.ts";
import { english } from "../protocol/sentence.ts";
import type { Sessions } from "../session/sessions.ts";
import type { Account } from "../tools/pictures/image-generate.ts";
import type { PictureMaker } from "../tools/pictures/make-picture.ts";

export interface PictureWork {
  readonly maker: () => Promise<PictureMaker>;
  readonly account: Account;
  readonly off: string | undefined;
  /** From now on what pictures take is on the account of the turns that make them. */
  readonly chargeTo: (sessions: Sessions) => void;
}

type Asking = Pick<RuntimeOptions, "settings"> & { readonly asked: RuntimeOptions["asked"] | undefined };

/** Who makes pictures, and who pays for them. */
export function pictureWork({ settings, asked }: Asking, io: Io): PictureWork {
  const { imagesModel, offline, maxCost, maxSessionCost, maxDayCost } = settings;
  const isLimited = [maxCost, maxSessionCost, maxDayCost].some((limit) => limit !== undefined);
  let sessions: Sessions | undefined;
  let price: Price | undefined;
  const found = async (): Promise<ProviderFound> => {
    const { model, provider } = namedModel(imagesModel ?? "");
    if (asked === undefined) throw new Error("No model can be asked from here.");
    const answer = await findModel({ ...asked, model, ...(provider !== undefined && { provider }) }, io);
    if (answer.type !== "found") throw new Error(answer.type === "none" ? english(answer.message) : NO_PRACTICE);
    return answer;
  };
  return {
    off:
      offline === true
        ? "the setting offline is on"
        : imagesModel === undefined || asked === undefined
          ? NONE
          : undefined,
    maker: async () => {
      const { provider, model, baseUrl, apiKey, api, facts } = await found();
      price = priceOf(facts);
      if (price === undefined && isLimited) throw new Error(unpriced(`${provider}/${model}`));
      return { provider, model, baseUrl, apiKey, dialect: api === "gemini" ? "gemini" : "openai" };
    },
    account: async ({ provider, model }, took, { sessionId }) => {
      const usage: Usage | undefined = took && { ...NO_USAGE, ...took };
      const cost = costOf(usage, price);
      const bill = billOf(cost);
      const spent = { purpose: "picture", model: `${provider}/${model}`, exit: "text_response", attempts: 1 } as const;
      const lane = await sessions?.lane(sessionId);
      await lane?.charge({ type: "auxiliary-run", ...spent, usage: usage ?? NO_USAGE, bill });
      return cost.usd === null ? "what it cost is not known" : `cost $${cost.usd}`;
    },
    chargeTo: (given) => {
      sessions = given;
    },
  };
}

const NONE = "no model is set up that makes pictures: images.model names one as PROVIDER/MODEL";
const NO_PRACTICE = "The practice model makes no pictures.";
const unpriced = (model: string): string =>
  `What ${model} costs is not known, and there is a limit of money, so it was not asked: models.*.prices sets its price.`;
