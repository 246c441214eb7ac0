/** Bytes; PATH_MAX of Linux (security §3.4). */
const MAX_PATH_BYTES = 4_096;

/** `aux.txt` is the device too. */
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;

/** Why a text can be no path that a tool works with, before anything is looked up; undefined when it can. */
export function whyNoPath(given: string, platform: NodeJS.Platform = process.platform): string | undefined {
  if (given === "") return "The path is empty: name a file or a folder.";
  if (given.includes("\0")) return "The path contains a NUL character, which no file name can have.";
  if (!given.isWellFormed()) return "The path contains half a character, which no file name can have.";
  if (Buffer.byteLength(given) > MAX_PATH_BYTES) return `The path is longer than ${MAX_PATH_BYTES} bytes.`;
  if (/^~[^/\\]/.test(given))
    return 'The home folders of others are not looked up: write "./~name" for a file of that name.';
  if (given.startsWith("\\\\") || (platform === "win32" && given.startsWith("//")))
    return "Network and device paths are not worked with: name a file on this machine.";
  return platform === "win32" ? whyNotOnWindows(given) : whyOnlyOnWindows(given);
}

const whyOnlyOnWindows = (given: string): string | undefined =>
  /^[A-Za-z]:[\\/]/.test(given) ? "This machine has no drive letters: name the file as it is named here." : undefined;

function whyNotOnWindows(given: string): string | undefined {
  const names = given.replace(/^[A-Za-z]:(?=[\\/])/, "").split(/[\\/]/);
  if (names.some((name) => name.includes(":"))) return "A name with a colon leads beside the file, not to it.";
  if (names.some((name) => WINDOWS_DEVICE.test(name))) return "The path names a device, not a file.";
  if (names.some((name) => /[<>"|?*]/u.test(name)))
    return "The path contains a character that no file name has on Windows.";
  return names.some((name) => /[^.\s][. ]+$/u.test(name))
    ? "Windows drops a dot or space at the end of a name: leave it out."
    : undefined;
}
