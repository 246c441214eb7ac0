import type { CommandPlace } from "./options.ts";

/** The same place, looked at once for each question: what a command names often is judged as one. */
export function remembering(place: CommandPlace): CommandPlace {
  return {
    ...place,
    resolve: once((name, folder) => place.resolve(name, folder)),
    whyNotRead: once((name, folder) => place.whyNotRead(name, folder)),
    whyNotWrite: once((name, folder) => place.whyNotWrite(name, folder)),
    whyNotGit: once((folder) => place.whyNotGit(folder)),
    entries: once((name, folder) => place.entries(name, folder)),
    program: once((name, folder) => place.program(name, folder)),
  };
}

function once<T>(ask: (name: string, folder: string) => T): (name: string, folder?: string) => T {
  const answers = new Map<string, { readonly given: T } | { readonly thrown: unknown }>();
  return (name, folder = "") => {
    const key = `${folder}\0${name}`;
    let answer = answers.get(key);
    if (answer === undefined) {
      answer = attempt(() => ask(name, folder));
      answers.set(key, answer);
    }
    if ("thrown" in answer) throw answer.thrown;
    return answer.given;
  };
}

function attempt<T>(ask: () => T): { readonly given: T } | { readonly thrown: unknown } {
  try {
    return { given: ask() };
  } catch (thrown) {
    return { thrown };
  }
}
