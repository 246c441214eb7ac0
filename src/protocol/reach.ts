/**
 * Where a call sends something to (security §3.9). Once others' words were read in a session, they may be what is sent or
 * who it is sent to: a person is asked first, and nobody's rule answers for them.
 */
export type Reach =
  /**
   * These addresses are opened, whole as they will be asked for. Nobody is asked about one that the user wrote, or that
   * a tool has found (`Tool.findsAddresses`): whoever makes one up can put anything into it.
   */
  | { readonly type: "fetch"; readonly urls: readonly string[] }
  /** Words go to a service that the owner has chosen, such as a search. Nobody is asked where a person could have typed them. */
  | { readonly type: "service"; readonly words: string }
  /** Something is sent to, or done at, what is named here for whoever is asked: always a question. */
  | { readonly type: "send"; readonly to: string };
