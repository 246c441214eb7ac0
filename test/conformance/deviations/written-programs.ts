const TOKEN =
  /(?<inner>\$\([^()]*\)|`[^`]*`)|'(?<single>[^']*)'|"(?<double>[^"]*)"|\\(?<escaped>.)|(?<comment>(?<=^|\s)#[^\n]*)|(?<redirect>\d*(?:&>|>&|>>?|<)\s*&?[^\s;|&]*)|(?<end>&&|\|[|&]?|[;&\n(){}])|(?<space>[^\S\n]+)|(?<plain>[^\s'"`\\$;|&<>(){}]+|\$)/gu;

const RESERVED = new Set("if then else fi while until do done !".split(" "));

/** What each program of a command gets, inner ones first, as far as it is plain to see. */
export function writtenPrograms(command: string): string[][] {
  const programs: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  const endWord = (): void => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endProgram = (): void => {
    endWord();
    const start = words.findIndex((each) => !RESERVED.has(each) && !/^\w+=/u.test(each));
    if (start >= 0) programs.push(words.slice(start));
    words = [];
  };
  for (const { groups = {} } of command.matchAll(TOKEN)) {
    const { inner, single, double, escaped, plain, space, redirect, end } = groups;
    if (inner !== undefined) programs.push(...writtenPrograms(inner.replaceAll(/^\$?[(`]|[)`]$/gu, "")));
    if (end !== undefined) endProgram();
    else if (space !== undefined || redirect !== undefined) endWord();
    else word = (word ?? "") + (single ?? double ?? escaped ?? plain ?? "");
  }
  endProgram();
  return programs;
}
