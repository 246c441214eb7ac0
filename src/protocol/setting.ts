/** What a setting accepts. */
export type Takes =
  /** A whole number above zero; `most` is the greatest, `endless` lets it be Infinity. */
  | { readonly type: "count"; readonly of: string; readonly most?: number; readonly endless?: true }
  /** US dollars for a million tokens: from zero to MOST_PRICE, with decimals. */
  | { readonly type: "price" }
  /** US dollars above zero, with decimals. */
  | { readonly type: "money" }
  | { readonly type: "switch" }
  | { readonly type: "choice"; readonly of: readonly string[] }
  /** One line. */
  | { readonly type: "text" }
  /** A list, or names with commas between. */
  | { readonly type: "files" }
  | { readonly type: "names" }
  /** The same of what has a name of its own, such as skills. */
  | { readonly type: "words" }
  /** The same of lines that may be anything, such as arguments: each is kept as it is, and a text alone is one of them. */
  | { readonly type: "lines" }
  /** What a program or a request is given under a name: a line of text, or where a secret lies. */
  | { readonly type: "given" }
  /** A list of environment variables, none of which decides what other programs do (security §3.1 C5). */
  | { readonly type: "variables" }
  /** The same of hosts by their names; `*.` in front stands for all below one. */
  | { readonly type: "hosts" }
  /** The same of what may be reached of this network, each as PURPOSE HOST [PORT…]. */
  | { readonly type: "allowances" }
  /** The same of models, each as PROVIDER/MODEL. */
  | { readonly type: "models" }
  /** An http:// or https:// address, without a name or password in it. */
  | { readonly type: "address" }
  | { readonly type: "secret" };

/** What was written for a setting, fit for a sentence: short, and never a secret. */
export type Written =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "nothing" | "list" | "group" | "hidden" };

/** Why a file as a whole is no config. */
export type FileFault =
  | { readonly type: "no-file" | "no-utf8" | "no-config" | "too-deep" }
  | { readonly type: "too-large"; readonly mostBytes: number }
  /** What the parser says, in English, without the text it quotes. */
  | { readonly type: "no-yaml"; readonly detail: string }
  /** What the system calls it: EACCES. */
  | { readonly type: "unreadable"; readonly code: string };

/** What can be wrong in a config. `name`: how whoever wrote it knows the setting: a key, a flag, a variable. */
export type ConfigProblem =
  | { readonly type: "file"; readonly fault: FileFault }
  | { readonly type: "unknown-key"; readonly key: Written; readonly meant?: string }
  /** `--config` takes these keys. */
  | { readonly type: "unknown-pair"; readonly key: Written; readonly meant?: string; readonly keys: readonly string[] }
  | { readonly type: "unknown-variable"; readonly name: string; readonly meant: string }
  | { readonly type: "not-a-value"; readonly key: string; readonly written: Written }
  | {
      readonly type: "wrong-value";
      readonly name: string;
      readonly takes: Takes;
      readonly written: Written;
      readonly meant?: string;
      /** It is told, and what is usual holds. */
      readonly lenient: boolean;
    }
  | { readonly type: "wrong-time"; readonly name: string; readonly written: Written; readonly mostDays: number }
  | { readonly type: "secret"; readonly name: Written }
  | { readonly type: "system-only"; readonly name: string }
  | { readonly type: "locked"; readonly key: string; readonly lock: string; readonly by: string }
  | { readonly type: "not-for-projects" | "widened"; readonly key: string }
  | { readonly type: "untrusted" }
  /** `since`: when it was last right, as a date and time in UTC. */
  | { readonly type: "stand-in"; readonly since: string };

/** What puts it right. */
export interface ConfigFix {
  readonly type: "unset" | "set" | "edit" | "login" | "unset-variable" | "trust" | "show";
  /** The key, variable, file or provider it is about. */
  readonly name: string;
  readonly command: string;
}

/** Why there is no profile of this name. */
export type ProfileProblem =
  | { readonly type: "no-profile-name"; readonly name: string }
  | { readonly type: "no-profile"; readonly name: string; readonly meant?: string };

/** Why a program does not change a config; it would have to guess. */
export type EditFault =
  | { readonly type: "no-yaml" | "no-config" }
  | { readonly type: "alias" | "group-is-a-value" | "not-set"; readonly key: string };

/** No model costs more, US dollars for a million tokens: such a price was mistyped, and its sums would mean nothing. */
export const MOST_PRICE = 1_000_000;
