import { EXCLUSIVE, type Claim, type Tool } from "../../../protocol/tool.ts";
import { askAbout, claimPath, firstOutside, PathError, whyAskToWrite, type Place } from "../../paths.ts";
import { resolvedPaths } from "../target.ts";
import { pathsIn } from "./headers.ts";

type Input = Readonly<Record<string, unknown>>;

/**
 * Changes parts of files: one text in one file, or what a patch of the kind V4A says of several, all of it or nothing
 * (hermes.md §16, §26.6). Run again after a crash it would not find what it has changed, or change it twice: "effect".
 */
export function patchTool(place: Place): Tool {
  return {
    name: "patch",
    toolset: "files",
    description:
      "Change parts of text files. Mode replace: puts new_string in the place of old_string in path; old_string must stand " +
      "there once, so take lines around it. Mode patch: several files, all or none: *** Begin Patch, *** Update File: PATH, " +
      "*** Add File: PATH, *** Delete File: PATH, *** Move File: OLD -> NEW, *** End Patch; lines begin with space, - or +, " +
      "hunks with @@ NEARBY LINE.",
    parameters: {
      type: "object",
      properties: {
        mode: { type: "string", enum: ["replace", "patch"], description: "Default replace." },
        path: { type: "string" },
        old_string: { type: "string", description: "As it stands there, without line numbers." },
        new_string: { type: "string", description: "Empty to delete." },
        replace_all: { type: "boolean", description: "Every place. Default false." },
        patch: { type: "string", description: "The whole patch." },
      },
      additionalProperties: false,
    },
    effect: "effect",
    concurrency: "paths",
    claim: (input) => claimAll(targetsOf(input), place),
    outside: (input) => firstOutside(targetsOf(input), place),
    ask: (input) => {
      const why = targetsOf(input).map((path) => askAbout(path, place, whyAskToWrite));
      return [...new Set(why.filter((sentence) => sentence !== undefined))].join(" ") || undefined;
    },
    changes: (input) => resolvedPaths(targetsOf(input), place),
    run: async (input, context) => {
      const { runPatch, runReplace } = await import("./run-patch.ts");
      if (isPatch(input)) return runPatch(textFor(input, "patch"), place, context);
      const wanted = {
        path: textFor(input, "path"),
        old: textFor(input, "old_string"),
        now: textFor(input, "new_string"),
        all: input["replace_all"] === true,
      };
      return runReplace(wanted, place, context);
    },
  };
}

/** Who gives a patch and no mode means the patch; a path beside it is no target (hermes.md §14.1). */
const isPatch = (input: Input): boolean =>
  input["mode"] === "patch" ||
  (input["mode"] === undefined && input["patch"] !== undefined && input["old_string"] === undefined);

/** Every file that a call names, as the model wrote it. */
function targetsOf(input: Input): string[] {
  const { path, patch } = input;
  if (isPatch(input)) return typeof patch === "string" ? pathsIn(patch) : [];
  return typeof path === "string" ? [path] : [];
}

/** What names nothing cannot be told from anything else. */
function claimAll(targets: readonly string[], place: Place): Claim {
  const claims = targets.map((path) => claimPath(path, place, "writes"));
  const writes = claims.flatMap((claim) => (claim.mode === "paths" ? claim.writes : []));
  return targets.length === 0 || writes.length < targets.length ? EXCLUSIVE : { mode: "paths", reads: [], writes };
}

function textFor(input: Input, name: string): string {
  const value = input[name];
  if (typeof value === "string") return value;
  throw new PathError(
    isPatch(input)
      ? "Mode patch needs patch, the whole patch."
      : `Mode replace needs path, old_string and new_string: ${name} is missing.`,
  );
}
