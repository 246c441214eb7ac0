import type { Config } from "../../config/config.ts";
import { DOCTOR } from "../../words/doctor.ts";
import type { Adapters } from "../adapters.ts";
import { broken, type Finding, ok, warning } from "./finding.ts";

const HELP = "evander config get sandbox.mode";

/** What stands around commands, as it really is. */
export async function checkSandbox(adapters: Adapters, { settings }: Config): Promise<Finding> {
  if ((settings.terminal.backend ?? "local") !== "local") return ok("sandbox", DOCTOR.sandboxElsewhere);
  const state = await adapters.checkSandbox(settings);
  switch (state.type) {
    case "on":
      return ok("sandbox", DOCTOR.sandbox(state.by, state.mode));
    case "off":
      return settings.sandbox.mode === "off"
        ? ok("sandbox", DOCTOR.sandboxOff)
        : warning("sandbox", DOCTOR.noSandbox(state.why), INSTALL);
    case "missing":
      return broken("sandbox", DOCTOR.lostSandbox(state.why), HELP);
  }
}

const INSTALL = "apt-get install bubblewrap socat";
