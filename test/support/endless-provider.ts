import { FakeProvider, type FakeProviderOptions, type ReceivedRequest } from "./fake-provider.ts";
import type { Step } from "./wire-script.ts";

/** A provider that answers by rule, however many requests come; it polices them as ever. */
export class EndlessProvider {
  readonly server: FakeProvider;
  private readonly rule: (request: ReceivedRequest) => Step;

  constructor(rule: (request: ReceivedRequest) => Step, options: FakeProviderOptions = {}) {
    this.rule = rule;
    this.server = new FakeProvider([(request) => this.next(request)], options);
  }

  get requests(): readonly ReceivedRequest[] {
    return this.server.requests;
  }

  /** What it found illegal. The one step that always waits is no fault. */
  violations(): string[] {
    try {
      this.server.verify();
      return [];
    } catch (error) {
      const lines = String(error).split("\n").slice(1);
      return lines.filter((line) => line !== "- 1 steps were never asked for");
    }
  }

  /** Its complaints are to be read before. */
  async close(): Promise<void> {
    await this.server.close().catch(() => {});
  }

  private next(request: ReceivedRequest): Step {
    this.server.script((following) => this.next(following));
    return this.rule(request);
  }
}
