import { isAbsolute, join } from "node:path";
import type { McpDescribed, McpForm, McpFormed } from "../protocol/mcp-consent.ts";
import type { InBoth } from "../protocol/sentence.ts";
import { isServerName, NO_SERVER_NAME, whyRefused } from "../tools/mcp/form.ts";

const invalid = (why: InBoth): McpFormed => ({ type: "invalid", why });

/** What is agreed to of a server, or why it can be none. */
export function formOf(server: McpDescribed, home: string): McpFormed {
  const { name, command, url, headers } = server;
  if (!isServerName(name)) return invalid(NO_SERVER_NAME);
  if ((command === undefined) === (url === undefined)) return invalid(ONE_OF_BOTH);
  if (url !== undefined) {
    const address = URL.parse(url);
    if (address === null || !/^https?:$/u.test(address.protocol)) return invalid(NO_ADDRESS);
    return { type: "form", form: { type: "http", url: address.href, headers: Object.keys(headers).toSorted() } };
  }
  const form = programForm(server, home);
  const why = form === undefined ? NO_FOLDER : whyRefused(form);
  return why === undefined && form !== undefined ? { type: "form", form } : invalid(why ?? NO_FOLDER);
}

function programForm(server: McpDescribed, home: string): McpForm | undefined {
  const { command = "", args, cwd = "~", env, writes = [], hosts = [] } = server;
  const folder = cwd === "~" || cwd.startsWith("~/") ? join(home, cwd.slice(1)) : cwd;
  if (!isAbsolute(folder)) return undefined;
  return { type: "stdio", command, args, cwd: folder, env: Object.keys(env).toSorted(), writes, hosts };
}

const ONE_OF_BOTH: InBoth = {
  en: "A server is either a program (command) or an address (url), not both and not neither.",
  zh: "服务器要么是一个程序（command），要么是一个地址（url），不能两者都有或都没有。",
};

const NO_ADDRESS: InBoth = {
  en: "The address of a server begins with https:// or http://.",
  zh: "服务器的地址以 https:// 或 http:// 开头。",
};

const NO_FOLDER: InBoth = {
  en: "The folder that a server is started in (cwd) is absolute, or lies below ~/.",
  zh: "服务器的启动文件夹（cwd）必须是绝对路径，或位于 ~/ 之下。",
};
