import {
  type ConfigFix,
  type ConfigProblem,
  type FileFault,
  MOST_PRICE,
  type Takes,
  type Written,
} from "../protocol/setting.ts";
import type { Text } from "./language.ts";
import type { Step } from "./steps.ts";

/** What is wrong in a config, as one sentence; `place` where it is a place in a file. */
export function problemSentence(problem: ConfigProblem, place: string): Text {
  const { en, zh } = problemClause(problem);
  const at = isPlace(problem, place) ? `${place}: ` : "";
  return { en: `${at}${en}.`, zh: `${at}${zh}。` };
}

/** A flag or a variable is named by its sentence, and so is what is locked. */
const isPlace = ({ type }: ConfigProblem, place: string): boolean => /[/\\]/u.test(place) && type !== "locked";

function problemClause(problem: ConfigProblem): Text {
  switch (problem.type) {
    case "file":
      return faultClause(problem.fault);
    case "unknown-key":
      return unknown(problem.key, problem.meant);
    case "unknown-pair":
      return pairClause(unknown(problem.key, problem.meant), problem.keys);
    case "unknown-variable":
      return {
        en: `The variable ${problem.name} sets nothing; perhaps ${problem.meant} was meant`,
        zh: `变量 ${problem.name} 不设置任何东西；也许想写的是 ${problem.meant}`,
      };
    case "not-a-value":
      return groupClause(problem.key, written(problem.written));
    case "wrong-value":
      return wrongValue(problem);
    case "wrong-time":
      return wrongTime(problem);
    case "secret":
      return secretClause(written(problem.name));
    default:
      return refusedClause(problem);
  }
}

type Refused = Extract<
  ConfigProblem,
  { type: "system-only" | "locked" | "not-for-projects" | "widened" | "untrusted" | "stand-in" }
>;

function refusedClause(problem: Refused): Text {
  switch (problem.type) {
    case "system-only":
      return {
        en: `${problem.name} is for the administrator's file alone and is not read here`,
        zh: `${problem.name} 只能写在管理员的文件中，这里不读取`,
      };
    case "locked":
      return {
        en: `${problem.key} is locked by ${problem.lock}, and ${problem.by} cannot set it`,
        zh: `${problem.key} 已被 ${problem.lock} 锁定，${problem.by} 不能设置它`,
      };
    case "not-for-projects":
      return {
        en: `${problem.key} is not a project's to set; it is not read here`,
        zh: `${problem.key} 不能由项目设置；这里不读取`,
      };
    case "widened":
      return {
        en: `${problem.key} may only be narrowed by a project, and this would widen it; it is not read here`,
        zh: `项目只能收紧 ${problem.key}，而这里会放宽它；这里不读取`,
      };
    case "untrusted":
      return {
        en: "this is not read, because the folder is not trusted",
        zh: "不读取它，因为该文件夹不受信任",
      };
    case "stand-in":
      return {
        en: `this is not used: what it said at ${problem.since} UTC, when it was last right, holds instead`,
        zh: `不使用它：改用它最后一次正确时（UTC ${problem.since}）的内容`,
      };
  }
}

function faultClause(fault: FileFault): Text {
  switch (fault.type) {
    case "no-file":
      return { en: "this is no file", zh: "这不是文件" };
    case "no-utf8":
      return { en: "this is no UTF-8 text", zh: "这不是 UTF-8 文本" };
    case "no-config":
      return { en: 'this is no config: write one "key: value" a line', zh: "这不是配置：每行写一个 “键: 值”" };
    case "too-deep":
      return { en: "this nests too deeply for a config", zh: "嵌套太深，不是配置" };
    case "too-large":
      return {
        en: `this is larger than ${fault.mostBytes} bytes, which no config is`,
        zh: `它大于 ${fault.mostBytes} 字节，配置不会这么大`,
      };
    case "no-yaml":
      return { en: `this is no YAML: ${fault.detail}`, zh: `这不是 YAML：${fault.detail}` };
    case "unreadable":
      return { en: `this cannot be read (${fault.code})`, zh: `无法读取（${fault.code}）` };
  }
}

export const faultSentence = (fault: FileFault, place: string): Text => problemSentence({ type: "file", fault }, place);

function unknown(key: Written, meant: string | undefined): Text {
  const { en, zh } = written(key);
  if (meant === undefined) return { en: `There is no setting ${en}`, zh: `没有设置 ${zh}` };
  return { en: `There is no setting ${en}; perhaps ${meant} was meant`, zh: `没有设置 ${zh}；也许想写的是 ${meant}` };
}

const pairClause = ({ en, zh }: Text, keys: readonly string[]): Text => ({
  en: `--config: ${en}. Write key=value with one of ${keys.join(", ")}`,
  zh: `--config：${zh}。写 键=值，键是其中之一：${keys.join("、")}`,
});

const groupClause = (key: string, { en, zh }: Text): Text => ({
  en: `${key} is a group: its settings are written below it, and this is ${en}`,
  zh: `${key} 是一个组：它的设置写在它下面，而这里是 ${zh}`,
});

function wrongValue({ name, takes, ...problem }: Extract<ConfigProblem, { type: "wrong-value" }>): Text {
  const must = takesWords(takes);
  const is = written(problem.written);
  const meant = problem.meant === undefined ? undefined : JSON.stringify(problem.meant);
  const en = `${name} must be ${must.en}; it is ${is.en}${meant === undefined ? "" : `; perhaps ${meant} was meant`}`;
  const zh = `${name} 必须是${must.zh}；现在是 ${is.zh}${meant === undefined ? "" : `；也许想写的是 ${meant}`}`;
  return problem.lenient ? { en: `${en}; what is usual holds`, zh: `${zh}；保持默认` } : { en, zh };
}

function wrongTime({ name, mostDays, ...problem }: Extract<ConfigProblem, { type: "wrong-time" }>): Text {
  const is = written(problem.written);
  return {
    en: `${name} must be a time up to ${mostDays} days, such as 90s, 5m or 1h30m; it is ${is.en}`,
    zh: `${name} 必须是不超过 ${mostDays} 天的时间，例如 90s、5m 或 1h30m；现在是 ${is.zh}`,
  };
}

const WHERE = "{env: NAME}, {file: PATH}, {cmd: [PROGRAM]} or {secret: NAME}";

const secretClause = ({ en, zh }: Text): Text => ({
  en: `${en} holds a secret as text, and a config never does; say where it lies: ${WHERE}`,
  zh: `${zh} 以文本形式保存了机密，而配置从不保存机密；请写明它在哪里：${WHERE.replace(" or ", "、")}`,
});

function written(it: Written): Text {
  switch (it.type) {
    case "text":
      return { en: it.text, zh: it.text };
    case "nothing":
      return { en: "empty", zh: "空的" };
    case "list":
      return { en: "a list", zh: "一个列表" };
    case "group":
      return { en: "a group", zh: "一个组" };
    case "hidden":
      return { en: "something hidden, because it may be a secret", zh: "（可能是机密，已隐藏）" };
  }
}

/** What a setting accepts, in words that follow "must be". */
export function takesWords(takes: Takes): Text {
  switch (takes.type) {
    case "count":
      return countWords(takes);
    case "price":
      return {
        en: `US dollars for a million tokens, from 0 to ${MOST_PRICE}`,
        zh: `每百万 token 的美元价格，从 0 到 ${MOST_PRICE}`,
      };
    case "money":
      return { en: "US dollars, more than zero", zh: "大于零的美元金额" };
    case "switch":
      return { en: "on or off", zh: " on 或 off" };
    case "choice": {
      const choices = takes.of.map((choice) => JSON.stringify(choice));
      return { en: choices.join(" or "), zh: ` ${choices.join(" 或 ")}` };
    }
    case "text":
      return { en: "one line of text", zh: "一行文本" };
    case "files":
      return { en: "a list of files", zh: "文件列表" };
    case "names":
      return { en: "a list of keys", zh: "键的列表" };
    case "words":
      return { en: "a list of names", zh: "名称列表" };
    case "lines":
      return { en: "a list of lines", zh: "文本行列表" };
    case "given":
      return {
        en: `a line of text, or where a secret lies: ${WHERE}; no variable that decides what programs load, run or trust`,
        zh: `一行文本，或机密所在的位置：${WHERE.replace(" or ", "、")}；不能是决定程序加载、运行或信任什么的变量`,
      };
    case "variables":
      return {
        en: "a list of variables, none of which decides what programs load, run or trust (such as PATH, LD_* or GIT_*)",
        zh: "环境变量列表，其中不能有决定程序加载、运行或信任什么的变量（如 PATH、LD_* 或 GIT_*）",
      };
    case "hosts":
      return {
        en: "a list of names of hosts, such as example.com or *.example.com; no addresses, ports or paths",
        zh: "主机名列表，如 example.com 或 *.example.com；不能是 IP 地址，也不带端口或路径",
      };
    case "allowances":
      return {
        en: 'a list of lines such as "tool 192.168.1.0/24 8080": tool, picture, search, mcp or home, then a host, an address or a network, then ports',
        zh: '若干行的列表，如 "tool 192.168.1.0/24 8080"：先写 tool、picture、search、mcp 或 home，再写主机名、地址或网段，最后写端口',
      };
    case "models":
      return { en: "a list of models, each as PROVIDER/MODEL", zh: "模型列表，每个写作 PROVIDER/MODEL" };
    case "address":
      return {
        en: "an http:// or https:// address without a password in it",
        zh: "不含密码的 http:// 或 https:// 地址",
      };
    case "secret": {
      const forms = "{env: NAME}, {file: PATH}, {cmd: [PROGRAM, ARGUMENT…]} or {secret: NAME}";
      return { en: `where the secret lies: ${forms}`, zh: `机密所在的位置：${forms.replace(" or ", "、")}` };
    }
  }
}

function countWords({ most, endless }: Extract<Takes, { type: "count" }>): Text {
  const en = `a whole number ${most === undefined ? "above zero" : `from 1 to ${most}`}`;
  const zh = most === undefined ? "大于零的整数" : `从 1 到 ${most} 的整数`;
  return endless === true ? { en: `${en}, or Infinity`, zh: `${zh}，或 Infinity` } : { en, zh };
}

/** What puts a config right, as a step that can be run. */
export const fixStep = (fix: ConfigFix): Step => ({ do: "configure", text: fixText(fix), command: fix.command });

function fixText({ type, name }: ConfigFix): Text {
  switch (type) {
    case "unset":
      return { en: `Take ${name} out.`, zh: `去掉 ${name}。` };
    case "set":
      return { en: `Set ${name} to what was meant.`, zh: `把 ${name} 设为想写的值。` };
    case "edit":
      return { en: `Correct ${name}.`, zh: `改正 ${name}。` };
    case "login":
      return { en: "Put the key where only you can read it.", zh: "把密钥放在只有你能读取的地方。" };
    case "unset-variable":
      return { en: `Take the variable ${name} away.`, zh: `去掉变量 ${name}。` };
    case "trust":
      return { en: "Read what it holds, then trust the folder.", zh: "先看看它的内容，然后信任该文件夹。" };
    case "show":
      return { en: "See what holds.", zh: "查看当前的值。" };
  }
}
