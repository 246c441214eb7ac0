import type { KnownValues } from "../protocol/redact/known.ts";

/** Takes secrets out of what tools say, before anybody is told it (security §3.13). Loaded when a tool is first called. */
export interface Redaction {
  ready(): Promise<void>;
  /** Of a whole text; call `ready` before. */
  readonly clean: (text: string) => string;
  /** Hands on what comes in pieces; `end`: no more does. */
  pieces(show: (text: string) => void): { readonly pass: (text: string) => void; readonly end: () => void };
  /** Whether a mark stands in it that a secret was replaced by: whoever writes it down would lose the secret. */
  readonly holdsMark: (text: string) => boolean;
}

export interface Knowing {
  /** The values that are known by now; absent: what only looks like a secret is taken out. */
  readonly known?: () => KnownValues;
  /** Has what only tools could come upon be known from then on. Never rejects. */
  readonly learn?: () => Promise<void>;
}

export function redaction({ known, learn }: Knowing): Redaction {
  let loaded: Awaited<ReturnType<typeof load>> | undefined;
  const parts = (): NonNullable<typeof loaded> => {
    if (loaded === undefined) throw new Error("What takes secrets out of texts is not loaded.");
    return loaded;
  };
  const values = (): KnownValues => known?.() ?? parts().nothing;
  return {
    async ready() {
      await learn?.();
      loaded ??= await load();
    },
    clean: (text) => parts().redact(text, values()),
    pieces(show) {
      const tell = (text: string): void => {
        if (text !== "") show(text);
      };
      // Most calls show nothing while they run.
      let stream: InstanceType<ReturnType<typeof parts>["RedactedStream"]> | undefined;
      const opened = (): NonNullable<typeof stream> => (stream ??= new (parts().RedactedStream)(values()));
      return {
        pass: (text) => tell(opened().pass(text)),
        end: () => {
          if (stream !== undefined) tell(stream.end());
        },
      };
    },
    holdsMark: (text) => parts().MARK.test(text),
  };
}

async function load() {
  const [{ redact }, { RedactedStream }, { nothingKnown }, { MARK }, { randomBytes }] = await Promise.all([
    import("../protocol/redact/redact.ts"),
    import("../protocol/redact/stream.ts"),
    import("../protocol/redact/known.ts"),
    import("../protocol/redact/mark.ts"),
    import("node:crypto"),
  ]);
  const key = randomBytes(8);
  return { redact, RedactedStream, MARK, nothing: nothingKnown([key.readInt32LE(0), key.readInt32LE(4)]) };
}
