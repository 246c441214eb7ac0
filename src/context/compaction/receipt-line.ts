const SHOWN = 120;

/** An output as one line, beside the call that stands before it: what its first line says, and how long it is. */
export function receiptLine(output: string): string {
  const text = output.trim();
  const [first = ""] = text.split("\n", 1);
  const lines = text.split("\n").length;
  const said = first.length > SHOWN ? `${first.slice(0, SHOWN).toWellFormed()}…` : first;
  return `${said.trim()} [${lines} ${lines === 1 ? "line" : "lines"}, ${text.length} characters]`;
}
