import { spawn } from "node:child_process";
import { childEnvironment, OF_DESKTOP } from "../../protocol/child-environment.ts";
import type { Io } from "../io.ts";

/**
 * Has the desktop open an address: a program with one argument, never a shell. Where there is none, whoever sees the address
 * opens it. Never rejects.
 */
export function openBrowser(address: string, { platform, env }: Pick<Io, "platform" | "env">): Promise<void> {
  // What begins otherwise could be an option, or a program.
  if (!/^https?:\/\//u.test(address)) return Promise.resolve();
  const [program, ...args] = OPENERS[platform] ?? ["xdg-open"];
  const { promise, resolve } = Promise.withResolvers<void>();
  const child = spawn(program ?? "", [...args, address], {
    stdio: "ignore",
    detached: true,
    env: childEnvironment(env, OF_DESKTOP),
  });
  child.on("error", () => resolve());
  child.on("spawn", () => resolve());
  child.unref();
  return promise;
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
