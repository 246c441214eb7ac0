import { hasOption, readLoosely, textsOf, valuesOf, written, type Loose } from "./arguments.ts";
import type { Arg, Label } from "./findings.ts";

/** What a program does to files, as far as its words tell. */
export interface Effects {
  readonly writes: readonly Arg[];
  /** Folders and all below them are deleted, moved away, or given other rights. */
  readonly sweeps: readonly Arg[];
  readonly deletes: readonly Arg[];
  /** What else it does to none of these is reading. */
  readonly reads: readonly Arg[];
}

const NOTHING: Effects = { writes: [], sweeps: [], deletes: [], reads: [] };

type Table = (args: readonly Arg[]) => Effects;

const operandsWritten =
  (valued = ""): Table =>
  (args) => {
    const { operands } = readLoosely(args, valued);
    return { ...NOTHING, writes: operands };
  };

/** Options whose values are files that are written; everything else is read. */
const optionWrites =
  (names: readonly string[], valued: string): Table =>
  (args) => {
    const own = readLoosely(args, valued);
    return { ...NOTHING, writes: valuesOf(own, ...names), reads: own.operands };
  };

/** The last operand, or the folder of -t, is written; the others are read. */
function copied(args: readonly Arg[]): {
  readonly from: readonly Arg[];
  readonly to: readonly Arg[];
  readonly own: Loose;
} {
  const own = readLoosely(args, "t target-directory S suffix m mode o owner g group e rsh");
  const folder = valuesOf(own, "t", "target-directory");
  if (folder.length > 0) return { from: own.operands, to: folder, own };
  return { from: own.operands.slice(0, -1), to: own.operands.slice(-1), own };
}

const remove: Table = (args) => {
  const own = readLoosely(args);
  const isDeep = hasOption(own, "r", "R", "recursive");
  return { ...NOTHING, deletes: own.operands, sweeps: isDeep ? own.operands : [] };
};

/** chmod MODE FILE…, chown OWNER FILE… */
const rights: Table = (args) => {
  const own = readLoosely(args);
  const files = own.options.some(({ name }) => name === "reference") ? own.operands : own.operands.slice(1);
  return { ...NOTHING, writes: files, sweeps: hasOption(own, "R", "recursive") ? own.operands : [] };
};

const copy: Table = (args) => {
  const { from, to } = copied(args);
  return { ...NOTHING, writes: to, reads: from };
};

const synchronise: Table = (args) => {
  const { from, to, own } = copied(args);
  const isDeleting = own.options.some(({ name }) => name.startsWith("del") || name === "remove-source-files");
  return { ...NOTHING, writes: to, reads: from, sweeps: isDeleting ? to : [], deletes: isDeleting ? to : [] };
};

const move: Table = (args) => {
  const { from, to } = copied(args);
  // What is in a folder may be moved, the folder itself not.
  return {
    ...NOTHING,
    writes: [...from, ...to],
    sweeps: from.map(({ text, certain, raw }) => ({ text, certain, raw })),
  };
};

/** key=value words. */
const convert: Table = (args) => {
  const named = (key: string): Arg[] =>
    args.flatMap((arg) => (arg.text.startsWith(`${key}=`) ? [{ ...arg, text: arg.text.slice(key.length + 1) }] : []));
  return { ...NOTHING, writes: named("of"), reads: named("if") };
};

const streamEdit: Table = (args) => {
  const own = readLoosely(args, "e expression f file l line-length");
  const isScriptGiven = hasOption(own, "e", "expression", "f", "file");
  const files = isScriptGiven ? own.operands : own.operands.slice(1);
  const isInPlace = hasOption(own, "i", "in-place") || textsOf(args).some((text) => /^-[nEru]*i/.test(text));
  return isInPlace ? { ...NOTHING, writes: files } : { ...NOTHING, reads: files };
};

/** perl -i, ruby -i. */
const inPlace: Table = (args) => {
  const own = readLoosely(args, "e E I M m r");
  const isInPlace = textsOf(args).some((text) => /^-[a-zA-Z]*i/.test(text));
  return isInPlace ? { ...NOTHING, writes: own.operands } : { ...NOTHING, reads: own.operands };
};

const archive: Table = (args) => {
  const [first, ...rest] = args;
  const old =
    first !== undefined && /^[A-Za-z]+$/.test(first.text) ? [{ ...first, text: `-${first.text}` }, ...rest] : args;
  const own = readLoosely(
    old,
    "f file C directory I use-compress-program T files-from X exclude-from to-command exclude",
  );
  const isExtracting = hasOption(own, "x", "extract", "get");
  const files = valuesOf(own, "f", "file");
  const folders = valuesOf(own, "C", "directory");
  const removes = hasOption(own, "remove-files") ? own.operands : [];
  return isExtracting
    ? { ...NOTHING, writes: folders.length > 0 ? folders : [written(".")], reads: files }
    : { ...NOTHING, writes: files, reads: own.operands, sweeps: removes, deletes: removes };
};

const unzip: Table = (args) => {
  const own = readLoosely(args, "d x");
  const folders = valuesOf(own, "d");
  return { ...NOTHING, writes: folders.length > 0 ? folders : [written(".")], reads: own.operands };
};

const download: Table = (args) => {
  const own = readLoosely(
    args,
    "o output O output-document P directory-prefix output-dir D dump-header c cookie-jar d data data-binary data-raw F form T upload-file K config H header X request A user-agent u user x proxy e referer b cookie m max-time stderr trace",
  );
  const named = valuesOf(
    own,
    "o",
    "output",
    "output-document",
    "directory-prefix",
    "P",
    "output-dir",
    "D",
    "dump-header",
  );
  const more = valuesOf(own, "c", "cookie-jar", "stderr", "trace");
  const sent = valuesOf(own, "d", "data", "data-binary", "F", "form", "T", "upload-file", "K", "config");
  return { ...NOTHING, writes: [...named, ...more], reads: sent.map(withoutAt) };
};

/** `@file`, `name=@file`. */
const withoutAt = (arg: Arg): Arg => ({ ...arg, text: arg.text.replace(/^(?:[\w-]+=)?[@<]/, "") });

const walk: Table = (args) => {
  const start = args.findIndex(({ text }) => /^[-(!,]/.test(text) && !/^-[PHL]$/.test(text));
  const roots = (start === -1 ? args : args.slice(0, start)).filter(({ text }) => !text.startsWith("-"));
  const tests = start === -1 ? [] : args.slice(start);
  const files = tests.flatMap(({ text }, at) => (/^-f(?:print0?|printf|ls)$/.test(text) ? (tests[at + 1] ?? []) : []));
  const isDeleting = tests.some(({ text }) => text === "-delete");
  const found = roots.length > 0 ? roots : [written(".")];
  return { ...NOTHING, writes: files, reads: found, deletes: isDeleting ? found : [] };
};

const second: Table = (args) => {
  const { operands } = readLoosely(args, "f s w");
  return { ...NOTHING, reads: operands.slice(0, 1), writes: operands.slice(1) };
};

const first: Table = (args) => {
  const { operands } = readLoosely(args);
  return { ...NOTHING, writes: operands.slice(0, 1), reads: operands.slice(1) };
};

const TABLES: ReadonlyMap<string, Table> = new Map<string, Table>([
  ...["rm", "rimraf", "srm", "trash", "trash-put"].map((name): [string, Table] => [name, remove]),
  ...["unlink", "rmdir"].map((name): [string, Table] => [
    name,
    (args) => ({ ...NOTHING, deletes: readLoosely(args).operands }),
  ]),
  [
    "shred",
    (args) => ({ ...NOTHING, deletes: readLoosely(args, "n s").operands, writes: readLoosely(args, "n s").operands }),
  ],
  ...["chmod", "chown", "chgrp", "chattr", "setfacl"].map((name): [string, Table] => [name, rights]),
  ...["cp", "install", "ln", "link", "scp", "ditto"].map((name): [string, Table] => [name, copy]),
  ["rsync", synchronise],
  ["mv", move],
  ["dd", convert],
  ...[
    "tee",
    "touch",
    "mkdir",
    "mkfifo",
    "mknod",
    "sponge",
    "ed",
    "ex",
    "vi",
    "vim",
    "nvim",
    "nano",
    "emacs",
    "code",
    "truncate",
  ].map((name): [string, Table] => [name, operandsWritten("s r m d t c")]),
  ["patch", operandsWritten("p i")],
  ...["gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "zip"].map((name): [string, Table] => [
    name,
    operandsWritten("S"),
  ]),
  ["sed", streamEdit],
  ["perl", inPlace],
  ["ruby", inPlace],
  ["tar", archive],
  ["bsdtar", archive],
  ["unzip", unzip],
  ["curl", download],
  ["wget", download],
  ["find", walk],
  ["uniq", second],
  ["xxd", second],
  ["sqlite3", first],
  ["sort", optionWrites(["o", "output"], "o output k key t field-separator T temporary-directory S")],
  ["tree", optionWrites(["o"], "o L P I")],
  ["shuf", optionWrites(["o", "output"], "o output n i")],
  ["openssl", optionWrites(["out"], "out in")],
  ["gpg", optionWrites(["o", "output"], "o output r")],
  [
    "split",
    (args) => ({
      ...NOTHING,
      reads: readLoosely(args, "b l n a").operands.slice(0, 1),
      writes: readLoosely(args, "b l n a").operands.slice(1),
    }),
  ],
]);

/** What a program is known to do to files; undefined: it may write whatever is named. */
export function effectsOf(name: string, args: readonly Arg[]): Effects | undefined {
  const table = TABLES.get(/^perl[\d.]*$/.test(name) ? "perl" : name);
  return table?.(args);
}

const NETWORK = new Set(
  (
    "curl wget aria2c nc ncat netcat ssh scp sftp rsync ftp lftp telnet socat dig nslookup host ping ping6 traceroute " +
    "http https xh whois gh glab aws gcloud az npm pnpm yarn bun npx bunx pip pip3 uv uvx gem brew apt apt-get dnf yum pacman " +
    "openssl mail sendmail mosh rclone"
  ).split(" "),
);
const GIT_NETWORK = new Set(["push", "pull", "fetch", "clone", "ls-remote", "submodule", "remote"]);
const CONTAINERS = new Set("docker podman nerdctl kubectl crictl nsenter chroot unshare lxc runc helm".split(" "));
const RUNS_CODE = new Set("make gmake ninja just npx bunx uvx source .".split(" "));
const PRIVILEGED = new Set(["sudo", "doas", "su", "pkexec", "runuser", "run0"]);
const HOST_REACHING =
  /^(?:--privileged|--(?:pid|net|network|ipc|userns|uts)=host|--cap-add.*|--device.*)$|docker\.sock|^(?:\/|~):/;

/** What a person is told of a program beside its words. */
export function labelsOf(name: string, args: readonly Arg[], isCode: boolean): Label[] {
  const texts = textsOf(args);
  const verb = texts.find((text) => !text.startsWith("-")) ?? "";
  const isNetwork = NETWORK.has(name) || (name === "git" && GIT_NETWORK.has(verb));
  const makesProgram = name === "chmod" && /\+[rwX]*x|[1357]/.test(verb);
  const isContainer = CONTAINERS.has(name) || texts.some((text) => HOST_REACHING.test(text));
  const labels: readonly (readonly [Label, boolean])[] = [
    ["network", isNetwork],
    ["code", isCode || RUNS_CODE.has(name) || makesProgram],
    ["privilege", PRIVILEGED.has(name)],
    ["container", isContainer],
  ];
  return labels.flatMap(([label, applies]) => (applies ? [label] : []));
}
