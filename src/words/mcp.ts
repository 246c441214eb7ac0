import type { McpMarker, McpStanding } from "../protocol/mcp-consent.ts";
import type { InBoth } from "../protocol/sentence.ts";
import type { Text } from "./language.ts";
import type { Step } from "./steps.ts";

export const DAMAGED: InBoth = {
  en: "What you agreed to of this server was changed by something else than evander, or is torn: agree to it again.",
  zh: "你对该服务器的同意记录被 evander 以外的东西改动过，或已损坏：请重新同意。",
};

export const unreadableConsents = (why: string): InBoth => ({
  en: `What you agreed to of servers cannot be read or kept: ${why}`,
  zh: `无法读取或保存你对服务器的同意记录：${why}`,
});

export const notIn = (name: string, servers: readonly { readonly name: string }[]): InBoth => {
  const known = servers.map((server) => server.name).join(", ");
  return {
    en: `There is no server ${JSON.stringify(name)}${known === "" ? "" : `; there are ${known}`}.`,
    zh: `没有服务器 ${JSON.stringify(name)}${known === "" ? "" : `；已有 ${known}`}。`,
  };
};

export const notConnected = (name: string, why: string): InBoth => {
  const whole = /[.!?。]$/u.test(why) ? why : `${why}.`;
  return { en: `The server ${name}: ${whole}`, zh: `服务器 ${name}：${whole}` };
};

/** Whether a server is used, as a clause. */
export function standingWords(standing: McpStanding): Text {
  switch (standing.type) {
    case "agreed": {
      const count = standing.tools.length;
      return {
        en: count === 1 ? "used: you agreed to 1 tool" : `used: you agreed to ${count} tools`,
        zh: `使用中：你同意了 ${count} 个工具`,
      };
    }
    case "disabled":
      return { en: "switched off", zh: "已关闭" };
    case "new":
      return { en: "not used: you have not agreed to it", zh: "未使用：你尚未同意" };
    case "changed":
      return {
        en: `not used: ${standing.fields.join(", ")} changed since you agreed to it`,
        zh: `未使用：在你同意之后 ${standing.fields.join("、")} 有改动`,
      };
    case "damaged":
    case "invalid": {
      const { why } = standing;
      return typeof why === "string" ? { en: why, zh: why } : why;
    }
  }
}

/** What of a tool its owner is to look at. */
export const MARKER_WORDS: Readonly<Record<McpMarker, Text>> = {
  "hidden-characters": { en: "holds characters that are not seen", zh: "含有看不见的字符" },
  "hidden-comment": { en: "holds a hidden comment", zh: "含有隐藏的注释" },
  "important-tag": { en: "pretends to speak with authority", zh: "假装有权威地发话" },
  secrecy: { en: "wants something kept from you", zh: "想对你隐瞒什么" },
  "other-tools": { en: "speaks of other tools or orders their use", zh: "谈及其他工具或命令使用它们" },
  "private-path": { en: "names private files", zh: "提到私密文件" },
  secret: { en: "speaks of keys or passwords", zh: "谈及密钥或密码" },
  long: { en: "is very long", zh: "非常长" },
};

type Says =
  | "none"
  | "start"
  | "reach"
  | "useTools"
  | "notAgreed"
  | "noTools"
  | "same"
  | "nobody"
  | "oneOfBoth"
  | "added"
  | "agreed"
  | "removed"
  | "loggedIn"
  | "open"
  | "proposed"
  | "instructions"
  | "unconfined"
  | "noFile"
  | "noServers"
  | "noPair"
  | "exists"
  | "refused"
  | "look"
  | "stopped"
  | "notLoggedIn";

export const MCP_SAYS: Readonly<Record<Says, Text>> = {
  none: { en: "No server is named: evander mcp add names one.", zh: "还没有服务器：用 evander mcp add 添加。" },
  start: { en: "Start it, and look at its tools?", zh: "启动它并查看它的工具吗？" },
  reach: { en: "Reach it, and look at its tools?", zh: "连接它并查看它的工具吗？" },
  useTools: { en: "Let models call these tools?", zh: "允许模型调用这些工具吗？" },
  notAgreed: { en: "Nothing was agreed to.", zh: "没有同意任何内容。" },
  noTools: { en: "It lists no tools.", zh: "它没有列出任何工具。" },
  same: { en: "It lists what you agreed to.", zh: "它列出的与你同意的一致。" },
  nobody: {
    en: "Nobody can be asked here: add --yes to agree to what is shown.",
    zh: "这里无人可问：加 --yes 表示同意所显示的内容。",
  },
  oneOfBoth: {
    en: "A server is named either by --url, by --from, or by a program and its arguments behind --.",
    zh: "服务器用 --url、--from，或在 -- 之后写程序及其参数来指定，三者选一。",
  },
  added: { en: "Added.", zh: "已添加。" },
  agreed: {
    en: "Agreed: models are offered these tools from the next turn on.",
    zh: "已同意：从下一轮起向模型提供这些工具。",
  },
  removed: { en: "Removed, with what was agreed to and granted.", zh: "已移除，连同同意记录与授权。" },
  loggedIn: { en: "Logged in.", zh: "已登录。" },
  open: { en: "Open this address and agree there:", zh: "请打开此地址并在那里同意：" },
  proposed: { en: "proposed by", zh: "提议来源" },
  instructions: { en: "what the server says of itself", zh: "服务器对自身的说明" },
  unconfined: {
    en: "It runs in the sandbox where there is one, else as you.",
    zh: "有沙箱时它在沙箱中运行，否则以你的身份运行。",
  },
  noFile: { en: "The file does not exist.", zh: "文件不存在。" },
  noServers: {
    en: "The file names no servers: it holds a JSON object with mcpServers.",
    zh: "文件中没有服务器：应为含有 mcpServers 的 JSON 对象。",
  },
  noPair: {
    en: "A variable is written NAME=VALUE, or NAME alone for one of yours; a header NAME: VALUE.",
    zh: "变量写作 名称=值，或只写名称以使用你的同名变量；标头写作 名称: 值。",
  },
  exists: {
    en: "There is a server of this name already: evander mcp rm takes it away first.",
    zh: "已有同名服务器：请先用 evander mcp rm 移除。",
  },
  refused: { en: "It cannot be added", zh: "无法添加" },
  look: { en: "Look at what is marked before you agree.", zh: "同意之前请查看有标记的内容。" },
  stopped: { en: "Stopped.", zh: "已停止。" },
  notLoggedIn: { en: "not logged in", zh: "未登录" },
};

type Field = "command" | "folder" | "variables" | "writes" | "hosts" | "address" | "headers" | "package";

/** What is agreed to, by name. */
export const MCP_FIELDS: Readonly<Record<Field, Text>> = {
  command: { en: "program", zh: "程序" },
  folder: { en: "started in", zh: "启动于" },
  variables: { en: "variables", zh: "变量" },
  writes: { en: "writes in", zh: "可写入" },
  hosts: { en: "reaches", zh: "可访问" },
  address: { en: "address", zh: "地址" },
  headers: { en: "headers", zh: "标头" },
  package: { en: "package", zh: "软件包" },
};

export const CHANGE_WORDS: Readonly<Record<"added" | "changed" | "removed" | "instructions", Text>> = {
  added: { en: "new", zh: "新增" },
  changed: { en: "changed", zh: "有改动" },
  removed: { en: "gone", zh: "已消失" },
  instructions: { en: "changed", zh: "有改动" },
};

export const offNow = (count: number): Text => ({
  en: `${count === 1 ? "1 change" : `${count} changes`} since you agreed: what is new or changed is off until you agree to it.`,
  zh: `自你同意以来有 ${count} 处变化：新增或改动的在你同意之前不会使用。`,
});

export const answeredIn = (tools: number, ms: number): Text => ({
  en: `It answered in ${ms} ms and lists ${tools === 1 ? "1 tool" : `${tools} tools`}.`,
  zh: `它在 ${ms} 毫秒内应答，列出了 ${tools} 个工具。`,
});

/** Said once, where somebody works: it names how to look at it. */
export function unusedServer(name: string, standing: McpStanding): Text {
  const { en, zh } = standingWords(standing);
  return {
    en: `The server ${name} is ${en.replace(/\.$/u, "")} (evander mcp allow ${name}).`,
    zh: `服务器 ${name} ${zh.replace(/。$/u, "")}（evander mcp allow ${name}）。`,
  };
}

export const lostServer = (name: string, why: string): Text => ({
  en: `The tools of the server ${name} are not there: ${why.replace(/\.$/u, "")} (evander mcp test ${name}).`,
  zh: `服务器 ${name} 的工具不可用：${why.replace(/[.。]$/u, "")}（evander mcp test ${name}）。`,
});

export const severalInFile = (names: readonly string[]): Text => ({
  en: `The file names ${names.join(", ")}: say which.`,
  zh: `文件中有 ${names.join("、")}：请指明是哪一个。`,
});

const step = (verb: string, name: string, text: Text): Step => ({
  do: `mcp_${verb}`,
  text,
  command: `evander mcp ${verb} ${name}`,
});

export const testServer = (name: string): Step =>
  step("test", name, { en: "See whether it answers.", zh: "查看它是否应答。" });

export const allowServer = (name: string): Step =>
  step("allow", name, { en: "See what it is now, and agree to it.", zh: "查看它现在的样子并同意。" });

export const logInTo = (name: string): Step => step("login", name, { en: "Log in to it.", zh: "登录该服务器。" });

export const LIST_SERVERS: Step = {
  do: "mcp_list",
  text: { en: "See which servers there are.", zh: "查看有哪些服务器。" },
  command: "evander mcp list",
};
