/** With `***` for each mark of a secret: which one it is differs from process to process. */
export const unmarked = (text: string): string =>
  text.replaceAll(/‹redacted:(?:known|key|password|header|url|private-key):[0-9a-f]{4}›/gu, "***");
