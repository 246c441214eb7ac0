import type { Prices } from "../../src/protocol/model-facts.ts";
import { type FakeProvider, fakeProvider, type Script } from "./fake-provider.ts";
import { ProgramWorld } from "./program.ts";
import { echo } from "./tools.ts";

export type PricedProgram = AsyncDisposable & { readonly world: ProgramWorld; readonly provider: FakeProvider };

/** The program with one tool, and a model that costs so much. */
export async function pricedProgram(prices: Prices, ...steps: readonly Script[]): Promise<PricedProgram> {
  const provider = await fakeProvider(steps);
  const facts = { provider: "custom", model: "fake-1", input: ["text"], quirks: [], prices } as const;
  const found = { provider: "custom", model: "fake-1", baseUrl: provider.baseUrl, apiKey: undefined } as const;
  const world = await ProgramWorld.open({ type: "found", ...found, source: "a test", facts }, [echo]);
  const dispose = async (): Promise<void> => {
    await world[Symbol.asyncDispose]();
    await provider.close();
  };
  return { world, provider, [Symbol.asyncDispose]: dispose };
}
