/**
 * Names of errors that arise in this program or on this machine: no provider has failed, and neither another key nor
 * another model helps.
 * Sources: hermes.md §9.2 step 21 (local value and type errors, but those of decoding and TLS); Node.js for its codes.
 */
export const PROGRAM_ERRORS: ReadonlySet<string> = new Set([
  "TypeError",
  "ValueError",
  "RangeError",
  "ReferenceError",
  "SyntaxError",
  "AssertionError",
  "AttributeError",
  "KeyError",
  "IndexError",
  "NameError",
  "ImportError",
  "ModuleNotFoundError",
  "NotImplementedError",
  "MemoryError",
  "FileNotFoundError",
  "PermissionError",
]);

/** Of these, some say that a server sent what cannot be read. */
export const DECODING_ERRORS: ReadonlySet<string> = new Set([
  "JSONDecodeError",
  "UnicodeDecodeError",
  "UnicodeEncodeError",
  "UnicodeError",
]);

/** What Python says of a reply that had nothing where a list was expected. */
export const EMPTY_REPLY: readonly string[] = ["'nonetype' object is not iterable"];

/** Codes of the operating system for what this machine has none of, or forbids. */
export const MACHINE_CODES: ReadonlySet<string> = new Set([
  "EMFILE",
  "ENFILE",
  "ENOMEM",
  "ENOBUFS",
  "ENOSPC",
  "EDQUOT",
  "EROFS",
  "EACCES",
  "EPERM",
  "ENOENT",
  "EADDRNOTAVAIL",
]);

/** The same in words. */
export const MACHINE: readonly string[] = [
  "no space left on device",
  "too many open files",
  "database is locked",
  "read-only file system",
];
