import { expect, test } from "vitest";
import { wrapBackground } from "./compound-background.ts";

test("[E9] the lines of a here-document and what stands in [[ ]] are not written anew", () => {
  for (const command of ["cat > run.sh <<E\na && b &\nE", "[[ -n a && -n b ]] &", "cat <<'E' && a &\nx && y &\nE"])
    expect(wrapBackground(command)).toBe(command);
  expect(wrapBackground("cat <<< x && a &")).toBe("cat <<< x && { a & }");
  expect(wrapBackground("[[ -n a ]] && b &")).toBe("[[ -n a ]] && { b & }");
});
