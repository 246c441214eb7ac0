type Environment = Readonly<Record<string, string | undefined>>;

/** What every program needs to run at all; everything else of our own environment may hold keys (security §3.1 C5). */
const BASE =
  /^(?:PATH|HOME|LANG|LANGUAGE|LC_[A-Z]+|TERM|TZ|TMPDIR|USER|LOGNAME|SHELL|XDG_(?:CONFIG|DATA|CACHE|STATE)_HOME)$/u;

/**
 * The environment of a program that we start, out of our own: a fixed base, and what its owner passes on by name. A name
 * that ends in `*` stands for all that begin so. What is not set is not passed.
 */
export function childEnvironment(own: Environment, pass: readonly string[] = []): Record<string, string> {
  const isPassed = (name: string): boolean =>
    pass.some((named) => (named.endsWith("*") ? name.startsWith(named.slice(0, -1)) : name === named));
  return Object.fromEntries(
    Object.entries(own).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && (BASE.test(entry[0]) || isPassed(entry[0])),
    ),
  );
}

/** What a program at the desk of its user needs beside it: windows, the bus of the session, the agent of its keys. */
export const OF_DESKTOP: readonly string[] =
  "DISPLAY WAYLAND_DISPLAY XAUTHORITY XDG_RUNTIME_DIR XDG_SESSION_TYPE DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK COLORTERM".split(
    " ",
  );
