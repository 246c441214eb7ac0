import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { changing, type Form, readable } from "../options.ts";

/** How a server is named on a command line. */
export interface AddForm extends Form {
  readonly url?: string;
  readonly from?: string;
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly folder?: string;
  readonly write?: readonly string[];
  readonly host?: readonly string[];
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly browser?: boolean;
}

export type AgreeForm = Pick<AddForm, "yes" | "dryRun"> & Form;
export type LoginForm = Pick<AddForm, "browser"> & Form;

/** `evander mcp`; each command loads its code when it is called. */
export function mcpCommand(context: CommandContext): Command {
  const group = new Command("mcp").description("servers of tools that speak MCP, and what you agreed to of them");
  changing(group.command("add").description("name a server, look at it, and agree to its tools"))
    .argument("<name>", "part of the names of its tools")
    .argument("[program...]", "behind --: the program that is the server, and its arguments")
    .option("--url <address>", "the server is reached at this address")
    .option("--from <file>", "it is the one of this name in a file of another program, such as .mcp.json")
    .option("--env <name=value>", "a variable it gets; NAME alone: yours of that name; may be repeated", collect)
    .option("--header <name: value>", "a header of each request; may be repeated", collect)
    .option("--folder <folder>", "start it there; else in your home folder")
    .option("--write <folder>", "let it write there, where there is a sandbox; may be repeated", collect)
    .option("--host <name>", "let it reach this host, where there is a sandbox; may be repeated", collect)
    .option("--no-browser", "print the address of a login, and open nothing")
    .action(async (name: string, program: readonly string[], form: AddForm) =>
      context.endWith(await (await import("./add.ts")).addServer({ name, program }, context, form)),
    );
  readable(group.command("list").description("every server, whether it is used, and what this folder proposes")).action(
    async (form: Form) => (await import("./list.ts")).listServers(context, form),
  );
  readable(
    group.command("test").description("connect to a server now, and see what it lists; 31 when it does not answer"),
  )
    .argument("<name>")
    .action(async (name: string, form: Form) =>
      context.endWith(await (await import("./test.ts")).testServer(name, context, form)),
    );
  changing(group.command("allow").description("see what a server is and lists now, and agree to it"))
    .argument("<name>")
    .action(async (name: string, form: AgreeForm) =>
      context.endWith(await (await import("./allow.ts")).allowServer(name, context, form)),
    );
  readable(group.command("login").description("let the authority of a server grant this program access to it"))
    .argument("<name>")
    .option("--no-browser", "print the address, and open nothing")
    .action(async (name: string, form: LoginForm) =>
      context.endWith(await (await import("./login.ts")).logInToServer(name, context, form)),
    );
  changing(group.command("rm").description("take a server away, with what you agreed to and what was granted"))
    .argument("<name>")
    .action(async (name: string, form: AgreeForm) => (await import("./remove.ts")).removeServer(name, context, form));
  return group;
}

const collect = (value: string, all?: string[]): string[] => [...(all ?? []), value];
