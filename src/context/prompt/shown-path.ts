/** A path as one line: a folder may have any name, and none may say anything to the model. */
export const shownPath = (path: string): string =>
  path.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);
