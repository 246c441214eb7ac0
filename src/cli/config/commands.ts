import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { changing, type Form, readable } from "../options.ts";
import type { DeviceFlags, KeyFlags } from "./pool.ts";

/** The commands about settings, and about where things lie; each loads its code when it is called. */
export const configCommands = (context: CommandContext): Command[] => [
  configCommand(context),
  profileCommand(context),
  trustCommand(context),
  authCommand(context),
  whereCommand(context),
];

/** How a command that changes something was asked for it. */
export interface Changing extends Form {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

function configCommand(context: CommandContext): Command {
  const group = new Command("config").description("what is set, and where");
  readable(group.command("show").description("every setting, with the value that holds"))
    .option("--origin", "with file and line, or what else set it")
    .action(async (form: Form & { readonly origin?: boolean }) =>
      (await import("./show.ts")).showConfig({ ...context.asked(form), origin: form.origin === true }),
    );
  readable(group.command("get").description("the value of one setting"))
    .argument("<key>")
    .action(async (key: string, form: Form) => (await import("./show.ts")).getSetting(key, context.asked(form)));
  changing(group.command("set").description("set one setting in your config, or in that of the profile"))
    .argument("<key>")
    .argument("<value>")
    .action(async (key: string, value: string, form: Changing) =>
      (await import("./change.ts")).setSetting(key, value, { ...context.asked(form), ...form }),
    );
  changing(group.command("unset").description("take one setting out of your config, or out of that of the profile"))
    .argument("<key>")
    .action(async (key: string, form: Changing) =>
      (await import("./change.ts")).unsetSetting(key, { ...context.asked(form), ...form }),
    );
  group
    .command("edit")
    .description("open your config, or that of the profile, in $VISUAL or $EDITOR, and check it")
    .action(async () => context.endWith(await (await import("./change.ts")).editConfig(context.asked({}))));
  readable(group.command("check").description("what is wrong in the config; 78 when a value cannot be used")).action(
    async (form: Form) => context.endWith(await (await import("./show.ts")).checkConfig(context.asked(form))),
  );
  group
    .command("schema")
    .description("the JSON Schema of a config file")
    .action(async () => (await import("./show.ts")).printSchema(context.io));
  return group;
}

function profileCommand(context: CommandContext): Command {
  const group = new Command("profile").description("configs and sessions of their own, side by side");
  readable(group.command("list").description("the profiles there are")).action(async (form: Form) =>
    (await import("./places.ts")).listProfiles(context.asked(form)),
  );
  changing(group.command("add").description("begin a profile"))
    .argument("<name>")
    .action(async (name: string, form: Changing) =>
      (await import("./places.ts")).beginProfile(name, { ...context.asked(form), ...form }),
    );
  return group;
}

function trustCommand(context: CommandContext): Command {
  const group = new Command("trust").description("folders whose own .evander/config.yaml is read");
  changing(group.command("add").description("trust a folder"))
    .argument("[folder]", "the project of the working folder when absent")
    .action(async (folder: string | undefined, form: Changing) =>
      context.endWith(await (await import("./trust.ts")).addTrust(folder, { ...context.asked(form), ...form })),
    );
  readable(group.command("list").description("the folders that are trusted")).action(async (form: Form) =>
    (await import("./trust.ts")).listTrust(context.asked(form)),
  );
  changing(group.command("remove").description("trust a folder no more"))
    .argument("[folder]", "the project of the working folder when absent")
    .action(async (folder: string | undefined, form: Changing) =>
      (await import("./trust.ts")).removeTrust(folder, { ...context.asked(form), ...form }),
    );
  return group;
}

function authCommand(context: CommandContext): Command {
  const group = new Command("auth").description("keys of providers, kept where only you can read them");
  changing(group.command("login").description("keep the key of a provider: typed unseen, or from stdin"))
    .argument("<provider>")
    .option("--device", "agree on another device, at an authority (RFC 8628): what it grants is kept")
    .option("--device-url <url>", "with --device: where a code is asked for")
    .option("--token-url <url>", "with --device: where the key is granted and renewed")
    .option("--client-id <id>", "with --device: as whom")
    .option("--scope <words>", "with --device: what for")
    .option("--base-url <url>", "with --device: send the key to this server alone")
    .action(async (provider: string, form: Changing & DeviceFlags & { readonly device?: boolean }) => {
      const asked = { ...context.asked(form), ...form };
      if (form.device === true) return (await import("./pool.ts")).loginElsewhere(provider, asked, context.adapters);
      return (await import("./auth.ts")).login(provider, asked);
    });
  changing(group.command("add").description("keep one more key of a provider: typed unseen, or from stdin"))
    .argument("<provider>")
    .option("--label <name>", "what it is called; numbered when absent")
    .option("--priority <n>", "the smallest is sent first; 0 is that of a key in the environment or the config")
    .option("--base-url <url>", "send it to this server alone")
    .option("--token-url <url>", "where it is renewed: stdin holds what an authority granted, as JSON")
    .option("--client-id <id>", "with --token-url: as whom it is renewed")
    .action(async (provider: string, form: Changing & KeyFlags) =>
      (await import("./pool.ts")).addKey(provider, { ...context.asked(form), ...form }, context.adapters),
    );
  readable(group.command("list").description("where keys lie, by fingerprint")).action(async (form: Form) =>
    (await import("./auth.ts")).listKeys(context.asked(form), context.adapters),
  );
  readable(group.command("status").description("which keys can be used, and when the others return")).action(
    async (form: Form) => (await import("./pool.ts")).keyStatus(context.asked(form), context.adapters),
  );
  changing(group.command("remove").description("keep the key of a provider no more"))
    .argument("<provider>")
    .argument("[key]", "id, label or fingerprint, where there are several")
    .action(async (provider: string, key: string | undefined, form: Changing) =>
      (await import("./auth.ts")).removeKey(provider, key, { ...context.asked(form), ...form }, context.adapters),
    );
  return group;
}

function whereCommand(context: CommandContext): Command {
  const where = new Command("where").description("every folder and file the program uses");
  return readable(where).action(async (form: Form) => (await import("./places.ts")).printPlaces(context.asked(form)));
}
