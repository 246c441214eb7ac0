import { basename, join } from "node:path";
import { readLoosely, textsOf } from "./arguments.ts";
import { effectsOf } from "./effects.ts";
import type { Arg } from "./findings.ts";
import type { CommandPlace } from "./options.ts";
import { decidesForUs, PERSONS_ONLY } from "./own-commands.ts";

// Security §3.1 C4: what no mode lets through.

const SYSTEM_FOLDERS = new Set(
  (
    "/ /bin /boot /dev /etc /home /lib /lib32 /lib64 /opt /proc /root /run /sbin /srv /sys /usr /usr/bin /usr/lib " +
    "/usr/lib32 /usr/lib64 /usr/sbin /usr/local /usr/share /var /var/lib /System /Library /Applications /Users /Volumes " +
    "/private /private/etc /private/var /cygdrive /mnt/c"
  ).split(" "),
);
const DISK =
  /^\/dev\/(?:[shv]d[a-z]|xvd[a-z]|nvme\d|mmcblk\d|r?disk\d|disk\/|mapper\/|dm-\d|md\d|loop\d|nbd\d|sr\d|zram\d|mtd\w*\d|mem$|kmem$|port$)/;
const FIXED = /^(?:\/private)?\/(?:boot|efi|etc\/sudoers|etc\/sudoers\.d|proc\/sysrq-trigger|proc\/sys)(?:\/|$)/;
/** The whole home of whoever is named, where no quote keeps the shell from filling it in. */
const SOMEONES_HOME = /^~[A-Za-z_][\w.-]*(?:\/+\*?)?$/;
const POWER = new Set(["shutdown", "reboot", "halt", "poweroff", "telinit"]);
const POWER_VERBS =
  /^(?:poweroff|reboot|halt|kexec|soft-reboot|suspend|hibernate|hybrid-sleep|rescue|emergency|isolate)$/;
const FORMATS = /^(?:mkfs(?:\.\w+)?|mke2fs|mkswap|mkdosfs|newfs|wipefs|blkdiscard)$/;
const PARTITIONS = new Set([
  "fdisk",
  "sfdisk",
  "cfdisk",
  "gdisk",
  "sgdisk",
  "parted",
  "cryptsetup",
  "badblocks",
  "hdparm",
]);
const OUR_NAMES = /evander|^node(?:js)?$/;

/**
 * Why a call may never run, or undefined. Words that the shell fills in count as nothing. There are file systems where `RM`
 * is `rm`.
 */
export function floorProblem(called: string, args: readonly Arg[], { place, folder }: At): string | undefined {
  const name = called.toLowerCase();
  return (
    powerProblem(name, textsOf(args)) ??
    diskProblem(name, args) ??
    signalProblem(name, args, place) ??
    (decidesForUs(
      [{ text: name, certain: "known", raw: name }, ...args],
      place.own,
      (path) => realOf(path, { place, folder }) ?? path,
    )
      ? PERSONS_ONLY
      : undefined) ??
    effectProblem(name, args, { place, folder })
  );
}

interface At {
  readonly place: CommandPlace;
  readonly folder: string;
}

function powerProblem(name: string, texts: readonly string[]): string | undefined {
  const verb = texts.find((text) => !text.startsWith("-")) ?? "";
  const turnsOff =
    POWER.has(name) ||
    (name === "init" && /^[06]$/.test(verb)) ||
    (/^(?:systemctl|loginctl)$/.test(name) && POWER_VERBS.test(verb));
  return turnsOff ? "It would turn off the machine, or stop what runs on it." : undefined;
}

function diskProblem(name: string, args: readonly Arg[]): string | undefined {
  if (FORMATS.test(name)) return `${name} destroys what is on a disk.`;
  const texts = textsOf(args);
  if (name === "diskutil" && /^(?:erase|zero|random|partition|secureErase|reformat)/i.test(texts[0] ?? ""))
    return "diskutil destroys what is on a disk.";
  const looks = texts.some((text) => /^(?:-l|--list|-p|--print|print|isLuks|luksDump|status)$/.test(text));
  return PARTITIONS.has(name) && !looks && texts.some((text) => DISK.test(text))
    ? `${name} changes a disk.`
    : undefined;
}

function signalProblem(name: string, args: readonly Arg[], { own }: CommandPlace): string | undefined {
  const { operands } = readLoosely(args, "s n u t g P");
  const named = (pattern: string): boolean =>
    OUR_NAMES.test(pattern) || (pattern !== "" && "evander".includes(pattern));
  if (/^(?:pkill|killall|pgrep|pidof|skill)$/.test(name)) {
    const ours = operands.some(({ text }) => named(basename(text)));
    return ours && !/^(?:pgrep|pidof)$/.test(name) ? "It would end this program itself." : undefined;
  }
  if (name !== "kill") return undefined;
  const targets = killTargets(args);
  if (targets.some(({ text }) => text === "-1")) return "It would end every process there is.";
  if (targets.some(({ text, raw }) => own.pids.includes(Math.abs(Number(text))) || /\$\{?PPID\}?/.test(raw)))
    return "It would end this program itself.";
  return targets.some(({ raw }) => /\b(?:pgrep|pidof)\b[^)`]*\b(?:evander|node(?:js)?)\b/.test(raw))
    ? "It would end this program itself."
    : undefined;
}

/** What kill is told to end: the first word with a dash is a signal, unless it stands behind one. */
function killTargets(args: readonly Arg[]): readonly Arg[] {
  const [first, ...rest] = args;
  if (first === undefined) return [];
  if (first.text === "--") return rest;
  if (/^-(?:s|n)$|^--signal$/.test(first.text)) return rest.slice(1).filter(({ text }) => text !== "--");
  if (/^-[A-Za-z\d]+$/.test(first.text) && rest.length > 0) return rest.filter(({ text }) => text !== "--");
  return /^-[lL]/.test(first.text) ? [] : args;
}

function effectProblem(name: string, args: readonly Arg[], at: At): string | undefined {
  const effects = effectsOf(name, args);
  if (effects === undefined) return undefined;
  const swept = effects.sweeps.find((arg) => isIrreplaceable(arg, at));
  if (swept !== undefined) return `It would delete or change all of ${shown(swept)}, which is never done by a command.`;
  if (name === "find" && effects.deletes.length > 0) return foundProblem(effects.deletes, args, at);
  return [...effects.writes, ...effects.deletes].map((arg) => writeProblem(arg, at)).find((why) => why !== undefined);
}

const shown = ({ text, raw }: Arg): string => (text === "" ? raw : text).slice(0, 200);

/** What find deletes lies below where it starts; in the working folder it must say what. */
function foundProblem(roots: readonly Arg[], args: readonly Arg[], at: At): string | undefined {
  const hasTest = args.some(({ text }) =>
    /^-(?:i?name|i?path|i?regex|type|size|mtime|mmin|newer|empty|perm|user)$/.test(text),
  );
  const bad = roots.find((root) => {
    const isRoot = realOf(root.text, at) === at.place.root;
    return !(isRoot && hasTest) && isIrreplaceable(root, at);
  });
  return bad === undefined ? undefined : `It would delete from all of ${shown(bad)}, which is never done by a command.`;
}

/** Why a file may never be written, whoever says yes. */
export function writeProblem(arg: Arg, at: At): string | undefined {
  const real = realOf(arg.text, at);
  if (real === undefined) return undefined;
  if (DISK.test(arg.text) || DISK.test(real)) return `${shown(arg)} is a disk, not a file.`;
  if (FIXED.test(real) || FIXED.test(arg.text)) return `${shown(arg)} decides how this machine starts or who rules it.`;
  if (at.place.own.files.includes(real)) return `${shown(arg)} is this program itself.`;
  return isGuarded(real, at.place) ? GUARDED : undefined;
}

export const GUARDED =
  "It reaches into what belongs to this program itself (config, keys, notes, skills, sessions), which no command may.";

export const isWithin = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);

const isGuarded = (real: string, { own }: CommandPlace): boolean =>
  own.guarded.some((folder) => isWithin(folder, real));

export const isOutOfReach = (real: string, place: CommandPlace): boolean =>
  isGuarded(real, place) && !place.own.readable.some((folder) => isWithin(folder, real));

/** Resolved, where it names anything. */
export function realOf(path: string, { place, folder }: At): string | undefined {
  if (path === "") return undefined;
  try {
    return place.resolve(path, folder);
  } catch {
    return undefined;
  }
}

/**
 * The root, a folder of the system, a home, the working folder or what holds them, or our own: also when a word names it only
 * once what the shell fills in is nothing.
 */
function isIrreplaceable(arg: Arg, at: At): boolean {
  const { place } = at;
  if (SOMEONES_HOME.test(arg.raw)) return true;
  const named = [arg.text, arg.wholeFolder].filter((path) => path !== undefined && path !== "");
  return named.some((path) => {
    const real = realOf(path ?? "", at);
    if (real === undefined) return false;
    // Of the working folder's own parts one that is not known may be any.
    if (real === place.root)
      return arg.certain !== "unknown" || arg.wholeFolder !== undefined || /^["']?\.?\/?["']?$/.test(arg.raw);
    return isSystem(real, path ?? "") || isParent(real, place) || place.own.guarded.some((own) => isWithin(real, own));
  });
}

const isSystem = (real: string, path: string): boolean =>
  SYSTEM_FOLDERS.has(real) || SYSTEM_FOLDERS.has(path.replace(/(?<=.)\/+$/, ""));

const isParent = (real: string, { root, home }: CommandPlace): boolean => isWithin(real, root) || isWithin(real, home);

/** The folders that an inner command of find works in, one of them. */
export const foundWord = (root: Arg, args: readonly Arg[], at: At): Arg => {
  const isRoot = realOf(root.text, at) === at.place.root;
  const hasTest = args.some(({ text }) =>
    /^-(?:i?name|i?path|i?regex|type|size|mtime|mmin|newer|empty|perm)$/.test(text),
  );
  return isRoot && hasTest
    ? { ...root, text: join(root.text, "found"), certain: "unknown" }
    : { ...root, certain: "unknown" };
};
