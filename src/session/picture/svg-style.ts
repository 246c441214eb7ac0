import type { Sign } from "./row-words.ts";

/** px */
export const HIGH = 22;

/**
 * Each sign has a colour and a pattern of its own, so that it is told apart without the one or the other. Colours are of
 * two sets, for light and dark; each of them has a contrast of 4.5 to its ground at least where it is text.
 */
export const STYLE = `text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Noto Sans Mono CJK SC",monospace;fill:#1f2328}
.ground{fill:#ffffff}.soft{fill:#57606a}.head{font-weight:bold}.line{stroke:#8c959f;fill:none}.faint{stroke:#d0d7de;fill:none}
.model{color:#0969da}.tool{color:#1a7f37}.wait{color:#6e7781}.person{color:#9a6700}.mark{color:#bf3989}
.refund{color:#8250df}.own{color:#57606a}.gap{color:#cf222e}.child{color:#1b7c83}.bad{fill:#cf222e}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.ground{fill:#0d1117}.soft{fill:#9198a1}.line{stroke:#656c76}.faint{stroke:#30363d}
.model{color:#58a6ff}.tool{color:#3fb950}.wait{color:#9198a1}.person{color:#d29922}.mark{color:#f778ba}
.refund{color:#bc8cff}.own{color:#9198a1}.gap{color:#ff7b72}.child{color:#39c5cf}.bad{fill:#ff7b72}}`;

const stroke = (d: string, wide = 2): string =>
  `<path d="${d}" stroke="currentColor" stroke-width="${wide}" fill="none"/>`;

const PATTERNS: Readonly<Record<Sign, string>> = {
  model: `<rect width="8" height="8" fill="currentColor"/>`,
  tool: stroke("M-2 2L2 -2M0 8L8 0M6 10L10 6", 3),
  wait: `<circle cx="2" cy="2" r="1.2" fill="currentColor"/><circle cx="6" cy="6" r="1.2" fill="currentColor"/>`,
  person: stroke("M0 0L8 8M0 8L8 0", 1.5),
  mark: `<rect width="8" height="8" fill="currentColor"/>`,
  refund: stroke("M-2 6L2 10M0 0L8 8M6 -2L10 2", 3),
  own: stroke("M0 2H8M0 6H8", 1.5),
  gap: stroke("M2 0V8", 1.5),
  child: stroke("M0 2H8M2 0V8", 1.5),
};

/** The patterns of these signs, each called as its sign. */
export const patternsOf = (signs: Iterable<Sign>): string =>
  [...signs]
    .map(
      (sign) =>
        `<pattern id="${sign}" class="${sign}" width="8" height="8" patternUnits="userSpaceOnUse">${PATTERNS[sign]}</pattern>`,
    )
    .join("");

/** Of whatever text: nothing in it is taken for a tag, and no character that XML has no place for is left. */
export const escaped = (text: string): string =>
  text
    .toWellFormed()
    // XML 1.0, production 2 (Char).
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
