/** What nobody sees and a model reads: controls, marks without width, tags, what turns the direction of writing. */
const HIDDEN = /[[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0\u{E0000}-\u{E0FFF}]--[\n\t]]/gv;

/** Others' words about a tool: without what is hidden, and no longer than this, in characters. */
export function safeText(text: string, most: number): string {
  // What is far longer is cut before it is looked at.
  const seen = withoutComments(
    text
      .slice(0, most * 4)
      .toWellFormed()
      .replaceAll(HIDDEN, ""),
  ).trim();
  return seen.length <= most
    ? seen
    : `${seen
        .slice(0, most - 1)
        .toWellFormed()
        .replace(/\uFFFD$/u, "")}…`;
}

/** What is taken out may have stood in the middle of another comment. */
function withoutComments(text: string): string {
  const without = text.replaceAll(/<!--[\s\S]*?(?:-->|$)/gu, "");
  return without === text ? text : withoutComments(without);
}
