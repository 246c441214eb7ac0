import assert from "node:assert/strict";

const TAG = /<(?:"[^"<]*"|[^"<>])*>/gu;
const OPENING = /^<([a-z]\w*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>$/iu;

/**
 * The tags of a small XML document, in order. Fails where it is not well-formed: one root, every tag closed by its own, quoted
 * attributes once each, no bare `<` or `&`, no character outside XML 1.0, no comments, CDATA or entities but the five and numbers.
 */
export function tagsOf(xml: string): string[] {
  assert.match(xml, /^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u, "a character XML has no place for");
  assert.doesNotMatch(xml, /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/iu, "a bare &");
  assert.doesNotMatch(xml.replaceAll(TAG, ""), /[<]/u, "a bare <");
  const tags = xml.match(TAG) ?? [];
  const open: string[] = [];
  for (const [at, tag] of tags.entries()) {
    const [, closed] = /^<\/(\w+)>$/u.exec(tag) ?? [];
    if (closed !== undefined) {
      assert.equal(open.pop(), closed, `closed as ${tag}`);
      continue;
    }
    const [, name = "", attributes = "", empty] = OPENING.exec(tag) ?? assert.fail(`no tag: ${tag}`);
    assert.ok(at === 0 || open.length > 0, `a second root: ${tag}`);
    const names = [...attributes.matchAll(/([\w:-]+)="/gu)].map(([, attribute]) => attribute);
    assert.equal(new Set(names).size, names.length, `an attribute twice: ${tag}`);
    if (empty !== "/") open.push(name);
  }
  assert.deepEqual(open, [], "left open");
  return tags;
}
