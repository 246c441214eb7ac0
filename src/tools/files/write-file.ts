import type { Tool } from "../../protocol/tool.ts";
import { askAbout, claimPath, firstOutside, whyAskToWrite, type Place } from "../paths.ts";
import { resolvedPaths, targetOf } from "./target.ts";

/**
 * Writes a whole text file at once: other programs see the old file or the new one, never a part.
 * The effect is "effect", not "idempotent": run again after a crash it would undo what somebody wrote in between.
 */
export function writeFileTool(place: Place): Tool {
  return {
    name: "write_file",
    toolset: "files",
    description:
      "Write a whole text file: creates it, with its folders, or replaces it completely. To change a part, use patch. " +
      "A file that is there must have been read in this session. Does not write through links.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "The file, relative to the working folder or absolute." },
        content: { type: "string", description: "The complete new text of the file." },
        overwrite: { type: "boolean", description: "Replace a file that was not read. Default false." },
      },
      required: ["path", "content"],
      additionalProperties: false,
    },
    effect: "effect",
    concurrency: "paths",
    claim: (input) => claimPath(input["path"], place, "writes"),
    outside: (input) => firstOutside([input["path"]], place),
    ask: (input) => askAbout(input["path"], place, whyAskToWrite),
    changes: (input) => resolvedPaths([input["path"]], place),
    run: async (input, context) => {
      const target = targetOf(String(input["path"]), place, context.approved);
      const { replaceFile } = await import("./replace-file.ts");
      const content = String(input["content"]).toWellFormed();
      return replaceFile(target, { content, overwrite: input["overwrite"] === true }, context);
    },
  };
}
