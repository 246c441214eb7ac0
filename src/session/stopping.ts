/** What stops a turn, or what goes on in it. */
export class Stopping {
  private readonly turn = new AbortController();
  /** Of the request or wait that goes on: a redirect ends it, and not the turn. */
  private request = new AbortController();

  get signal(): AbortSignal {
    return this.turn.signal;
  }

  /** Ends everything. */
  stop(): void {
    this.turn.abort();
    this.request.abort();
  }

  endRequest(): void {
    this.request.abort();
  }

  /** Another request or wait begins. */
  nextRequest(): AbortSignal {
    this.request = new AbortController();
    if (this.turn.signal.aborted) this.request.abort();
    return this.request.signal;
  }
}
