import { newConfig } from "../../config/edit.ts";
import { KEYS } from "../../config/keys.ts";
import { takesWords } from "../../words/config.ts";

/** A config that sets nothing and shows every setting as a comment, for whoever begins one by hand. */
export function configDraft(): string {
  const lines = ["# Take the # away from what you want to set; docs: docs/configuration.md", ""];
  let group = "";
  for (const { name, takes, meaning, usual, systemOnly } of KEYS) {
    if (systemOnly === true || name.includes("*")) continue;
    const [head = "", inner] = name.split(".");
    if (inner !== undefined && head !== group) lines.push(`# ${head}:`);
    group = inner === undefined ? "" : head;
    const example = usual === undefined ? "" : ` ${String(usual)}`;
    lines.push(`# ${inner === undefined ? head : `  ${inner}`}:${example}  # ${meaning}; ${takesWords(takes).en}`);
  }
  return `${newConfig()}${lines.join("\n")}\n`;
}
