import type { Beside } from "../protocol/beside.ts";
import type { Toolbox } from "./toolbox.ts";

/** What became of things that go on beside a session stands behind the next result of a tool, in our own words. */
export const tellingBeside = ({ port, ...toolbox }: Toolbox, beside: Beside): Toolbox => ({
  ...toolbox,
  port: {
    ...port,
    async run(call, context) {
      const result = await port.run(call, context);
      const told = await beside.take(context.sessionId, "result");
      return told.length === 0 ? result : { ...result, text: `${result.text}\n\n[${told.join(" ")}]` };
    },
  },
});
