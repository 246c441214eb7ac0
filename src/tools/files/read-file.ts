import type { Tool } from "../../protocol/tool.ts";
import { askAbout, claimPath, firstOutside, permittedPath, shownPath, whyAskToRead, type Place } from "../paths.ts";

// Hermes §14.6 and §16.
const DEFAULT_LINES = 500;
const MAX_LINES = 2_000;

/** Reads a text file in numbered lines, whatever its size; lists a folder; shows a picture, and the text of a PDF document. */
export function readFileTool(place: Place): Tool {
  return {
    name: "read_file",
    toolset: "files",
    // Else what was kept in a file could not be read on there.
    resultLimit: Infinity,
    description:
      "Read a text file. Returns numbered lines (NUMBER|TEXT) and says how to read on. " +
      `Shows ${DEFAULT_LINES} lines unless limit says otherwise; long lines are cut. ` +
      "Pictures are shown, PDF documents as text. What you have read and did not change is not shown again.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "The file, relative to the working folder or absolute." },
        offset: { type: "integer", minimum: 1, description: "First line to show, from 1. Default 1." },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: MAX_LINES,
          description: `Lines to show. Default ${DEFAULT_LINES}.`,
        },
        force: { type: "boolean", description: "Show it again, though it is unchanged. Default false." },
      },
      required: ["path"],
      additionalProperties: false,
    },
    effect: "pure",
    concurrency: "paths",
    claim: (input) => claimPath(input["path"], place, "reads"),
    outside: (input) => firstOutside([input["path"]], place),
    ask: (input) => askAbout(input["path"], place, whyAskToRead),
    run: async (input, context) => {
      const real = permittedPath(String(input["path"]), place, { mode: "reads", approved: context.approved });
      const { readPath } = await import("./reading/read-path.ts");
      return readPath({
        real,
        shown: shownPath(real, place),
        place,
        window: { first: Number(input["offset"] ?? 1), lines: Number(input["limit"] ?? DEFAULT_LINES) },
        force: input["force"] === true,
        context,
      });
    },
  };
}
