import { type ImagePart, type Message, textOf, type TextPart } from "../protocol/message.ts";

/** Calls and their receipts told in words, for a server that takes none beside a request without tools (row C17). */
export function toldInWords(message: Message): Message {
  switch (message.role) {
    case "user":
      return message;
    case "assistant":
      return {
        ...message,
        parts: message.parts.map((part) =>
          part.type === "tool-call" ? said(`\n\n[Called ${part.name} with ${part.input.trim() || "{}"}]`) : part,
        ),
      };
    case "tool": {
      const beside = message.parts.flatMap((part): (TextPart | ImagePart)[] => {
        if (part.type === "text") return [];
        return part.type === "steer" ? [said(`\n\n${part.text}`)] : [part];
      });
      return { role: "user", parts: [said(`[A tool returned:]\n${textOf(message).trim()}`), ...beside] };
    }
  }
}

const said = (text: string): TextPart => ({ type: "text", text });
