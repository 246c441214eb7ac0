/** What became of things that go on beside a session, told once: with its next message, or with the next result of a tool. */
export interface Beside {
  /** One sentence each. Never rejects. */
  take(sessionId: string, when: "message" | "result"): Promise<readonly string[]>;
}
