import fc from "fast-check";
import { expect, test } from "vitest";
import type { Fact } from "../../protocol/fact.ts";
import { userText } from "../../protocol/message.ts";
import {
  asking,
  attempt,
  CHILD,
  END,
  FULL,
  receipt,
  RICH,
  segment,
  START,
  turn,
} from "../../../test/support/told-turns.ts";
import { tagsOf } from "../../../test/support/xml.ts";
import { pictureOf } from "./picture-of.ts";
import { pictureSvg } from "./svg.ts";

const svgOf = (stored: typeof FULL, language: "en" | "zh" = "en"): string =>
  pictureSvg(pictureOf(stored, stored === RICH ? { children: [CHILD] } : {}), language);

test("[X3] the picture of a rich turn as SVG is the one that was looked at", async () => {
  await expect(svgOf(RICH)).toMatchFileSnapshot("../../../test/fixtures/picture/rich-turn.svg");
});

test("[X3] the SVG is well-formed, stands for itself, and says what it is", () => {
  for (const stored of [FULL, RICH])
    for (const language of ["en", "zh"] as const) {
      const svg = svgOf(stored, language);
      const tags = tagsOf(svg);
      expect(tags[0]).toMatch(
        /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" .*role="img" aria-labelledby="name about"/u,
      );
      expect(svg.replace("http://www.w3.org/2000/svg", "")).not.toMatch(
        /https?:|<script|<image|<foreignObject|href|@import|\son\w+=/iu,
      );
      expect(svg).toMatch(/<title id="name">.+<\/title>\n<desc id="about">.+<\/desc>/u);
    }
  expect(svgOf(RICH, "zh")).toContain("进程已终止；之后恢复");
});

test("[X3] every bar has a pattern and words beside its colour, and calls side by side are held together", () => {
  const svg = svgOf(RICH);
  const patterns = [...svg.matchAll(/<pattern id="(\w+)"/gu)].map(([, id]) => id);
  const fills = new Set([...svg.matchAll(/fill="url\(#(\w+)\)"/gu)].map(([, id]) => id));
  expect([...fills].filter((id) => !patterns.includes(id))).toEqual([]);
  expect([...fills]).toEqual(expect.arrayContaining(["model", "tool", "person", "gap", "child", "own"]));
  for (const words of [
    "429 rate_limit",
    "another key: aaaa",
    "overloaded",
    "less is sent: ~9000 → ~2000 tokens",
    "cache break",
    "child agent: look around",
    "its process had died; then resumed",
    "guardrail: repeated_exact_failure_warning (2)",
    "1 file",
    "9,000 in + 50 out",
    "a review: small",
    "iterations left",
    "money left",
    "interrupted_by_user: Stopped before the turn was done.",
  ])
    expect(svg).toContain(words);
  expect(svg.match(/h-5V[\d.]+h5/gu)).toHaveLength(1);
  expect(svg).toContain("Time in which nobody worked is drawn shorter than it was.");
});

/** A turn of so many iterations with two calls each. */
function long(iterations: number): typeof FULL {
  const facts: [number, Fact][] = [[0, START]];
  for (let n = 1; n <= iterations; n++) {
    const [at, seq] = [n * 100, n * 3];
    facts.push(
      [at, attempt(n, n)],
      [
        at + 40,
        asking(seq, [`a${n}`, "terminal", { command: "x".repeat(200) }], [`b${n}`, "read_file", { path: "b" }]),
      ],
      [at + 40, segment(`a${n}`, `b${n}`)],
      [at + 60, receipt(seq + 1, `a${n}`, "y".repeat(5_000), n % 10 === 0 ? "error" : "ok")],
      [at + 80, receipt(seq + 2, `b${n}`, "z")],
    );
  }
  return turn(...facts, [iterations * 100 + 100, END]);
}

test("[X3] a turn of 500 iterations is folded in the middle, and small enough to be put into a letter", () => {
  const svg = svgOf(long(500));
  expect(tagsOf(svg).filter((tag) => tag.startsWith("<g>")).length).toBeLessThan(220);
  expect(svg.length).toBeLessThan(200_000);
  expect(svg).toMatch(/… iterations \d+-\d+: \d+ rows \(\d+ failed\)/u);
  expect(svg).toContain("text_response: The model has answered.");
});

test("[X3] whatever a user, a model or a tool says, it stays a text in the SVG and hides nothing", () => {
  const hostile = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom(
      `</text><script>alert(1)</script>`,
      `"><image href="http://evil.test/x"/>`,
      `]]>&lt;&#0;\u0000\uD800\uFFFE\u202E`,
      `<!ENTITY x SYSTEM "file:///etc/passwd">`,
    ),
  );
  fc.assert(
    fc.property(hostile, hostile, hostile, (word, command, result) => {
      const stored = turn(
        [0, { ...START, message: userText(word), model: word, provider: word } as Fact],
        [1, { ...attempt(1, 1), model: word } as Fact],
        [5, asking(1, ["a", word, { command }])],
        [5, segment("a")],
        [9, { type: "steer-accepted", steerId: "1", text: command }],
        [9, receipt(2, "a", result, "error")],
      );
      const svg = svgOf(stored);
      const names = new Set(tagsOf(svg).map((tag) => /^<\/?(\w+)/u.exec(tag)?.[1]));
      expect([...names].filter((name) => !KNOWN.has(name ?? ""))).toEqual([]);
      expect(svg).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/u);
    }),
  );
});

const KNOWN: ReadonlySet<string> = new Set(
  "svg title desc style defs pattern rect path circle g text tspan".split(" "),
);
