/** Keeps results that are too long for a model, for as long as their session (row E8). */
export interface ResultFiles {
  /** Where the text lies now; undefined when it could not be kept. Never rejects. */
  keep(text: string, of: { readonly sessionId: string; readonly callId: string }): Promise<string | undefined>;
}
