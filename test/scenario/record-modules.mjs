// Preloaded by a test: keeps the address of every module this process loads, a line each, in the file $MODULES.
import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";

registerHooks({
  load: (url, context, next) => {
    appendFileSync(String(process.env["MODULES"]), `${url}\n`);
    return next(url, context);
  },
});
