/** Row A4: lone surrogates and NUL, which no provider and no store takes, become U+FFFD. */
export function cleanText(text: string): string {
  const whole = text.toWellFormed();
  return whole.includes("\0") ? whole.replaceAll("\0", "\uFFFD") : whole;
}
