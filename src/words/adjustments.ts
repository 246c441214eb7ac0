import type { Adjustment, PictureLimit } from "../protocol/adjustment.ts";
import type { Text } from "./language.ts";

/** Why a request leaves otherwise from here on, and how. */
export function adjustmentLine(adjustment: Adjustment): Text {
  if ("maxOutput" in adjustment) return lessOutput(adjustment.maxOutput);
  if ("pictures" in adjustment) return adjustment.pictures === false ? NO_PICTURES : NOT_THESE_PICTURES;
  if ("pictureLimit" in adjustment) return smallerPictures(adjustment.pictureLimit);
  if ("opaque" in adjustment) return adjustment.opaque === false ? NO_OPAQUE : NOT_THIS_OPAQUE;
  if ("without" in adjustment) return without(adjustment.without);
  if ("withoutTool" in adjustment) return withoutTool(adjustment.withoutTool);
  return withoutLine(adjustment);
}

/** Those that say all by their name. */
type Plain = Extract<
  Adjustment,
  | { streaming: false }
  | { toolChoice: false }
  | { toolPictures: false }
  | { strict: true }
  | { betas: false }
  | { schemaWords: false }
>;

function withoutLine(adjustment: Plain): Text {
  if ("streaming" in adjustment) return NO_STREAMING;
  if ("toolChoice" in adjustment) return NO_TOOL_CHOICE;
  if ("toolPictures" in adjustment) return NO_TOOL_PICTURES;
  if ("strict" in adjustment) return STRICT;
  return "betas" in adjustment ? NO_BETAS : NO_SCHEMA_WORDS;
}

const NO_STREAMING: Text = {
  en: "this server does not stream: asking for replies in one piece from now on",
  zh: "此服务器不支持流式输出：从现在起一次性请求整个回复",
};

const NO_TOOL_CHOICE: Text = {
  en: "this server cannot be told not to call tools: asking without tools for the last word",
  zh: "此服务器无法被告知不要调用工具：改为不带工具请求最后的回答",
};

const NO_PICTURES: Text = {
  en: "this model takes no pictures: telling them in words from now on",
  zh: "此模型不接受图片：从现在起改用文字说明",
};

const NOT_THESE_PICTURES: Text = {
  en: "a picture was refused as broken or too large: telling the pictures so far in words, showing new ones",
  zh: "有图片因损坏或过大而被拒绝：到目前为止的图片改用文字说明，新的图片照常显示",
};

const smallerPictures = ({ base64, side }: PictureLimit): Text => {
  const size = `${(base64 / 1_048_576).toFixed(0)} MiB`;
  return {
    en: `a picture was too large: from now on none has more than ${size} and ${side} pixels a side`,
    zh: `有图片过大：从现在起每张不超过 ${size}，每边不超过 ${side} 像素`,
  };
};

const NO_TOOL_PICTURES: Text = {
  en: "this model takes no pictures from tools: telling those in words from now on",
  zh: "此模型不接受工具返回的图片：从现在起改用文字说明",
};

const NO_OPAQUE: Text = {
  en: "the provider refused what it had signed or sealed itself: sending none of it from now on",
  zh: "服务商拒绝了它自己签名或加密的内容：从现在起不再发送这些内容",
};

const NOT_THIS_OPAQUE: Text = {
  en: "the provider refused a signature of its own: sending nothing that it has signed so far, and what it signs from now on",
  zh: "服务商拒绝了它自己的签名：到目前为止签名的内容不再发送，此后签名的照常发送",
};

const STRICT: Text = {
  en: "the server refused the form of the conversation: sending the strictest one from now on",
  zh: "服务器拒绝了对话的形式：从现在起以最严格的形式发送",
};

const NO_SCHEMA_WORDS: Text = {
  en: "this server cannot read the patterns and formats in the tools' parameters: leaving them out from now on",
  zh: "此服务器无法解析工具参数中的 pattern 和 format：从现在起不再发送",
};

const NO_BETAS: Text = {
  en: "this account may not use a beta of the API: asking without betas from now on",
  zh: "此账户不能使用该 API 的测试功能：从现在起不再请求测试功能",
};

const without = (parameter: string): Text => ({
  en: `${parameter} is not taken here: asking without it from now on`,
  zh: `这里不接受 ${parameter}：从现在起不再发送该参数`,
});

const withoutTool = (tool: string): Text => ({
  en: `the tool ${tool} is not taken here: asking without it from now on`,
  zh: `这里不接受工具 ${tool}：从现在起不再提供该工具`,
});

const lessOutput = (tokens: number): Text => ({
  en: `too much output was asked for: asking for ${tokens} tokens`,
  zh: `请求的输出过多：改为 ${tokens} 个 token`,
});
