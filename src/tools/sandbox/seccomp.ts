/** Numbers of system calls by processor. Facts of the kernel: its tables for x86-64 and for 64-bit ARM. */
interface Processor {
  readonly audit: number;
  readonly clone: number;
  readonly socket: number;
  readonly ioctl: number;
  /** Never allowed (security §3.3). */
  readonly denied: readonly number[];
}

/** io_uring, the calls that mount since Linux 5.2, clone3 aside, pidfd_getfd: the same everywhere. */
const COMMON = [425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442, 443, 467] as const;

const PROCESSORS: Readonly<Record<string, Processor>> = {
  x64: {
    audit: 0xc000003e,
    clone: 56,
    socket: 41,
    ioctl: 16,
    // ptrace, process_vm_*, keys, bpf, perf, userfaultfd, mounts, roots, namespaces, kexec, handles, modules, the machine.
    denied: [
      101, 310, 311, 248, 249, 250, 321, 298, 323, 165, 166, 155, 161, 272, 308, 246, 320, 304, 175, 313, 176, 169, 167,
      168, 163, 179, 103, 164, 227, 305, 159, 172, 173, 212, 180, 153, 312, 170, 171, 300,
    ],
  },
  arm64: {
    audit: 0xc00000b7,
    clone: 220,
    socket: 198,
    ioctl: 29,
    denied: [
      117, 270, 271, 217, 218, 219, 280, 241, 282, 40, 39, 41, 51, 97, 268, 104, 294, 265, 105, 273, 106, 142, 224, 225,
      89, 60, 116, 170, 112, 266, 171, 18, 42, 58, 272, 161, 162, 262,
    ],
  },
};

type Step = readonly [code: number, yes: number, no: number, value: number];

const CLONE3 = 435;
const NEW_NAMESPACES = 0x7e02_0000;
/** Bytes into what the kernel tells of a call. */
const AT = { number: 0, processor: 4, first: 16, second: 24, third: 32 } as const;

const load = (at: number): Step => [0x20, 0, 0, at];
const give = (value: number): Step => [0x06, 0, 0, value];
const ALLOW = give(0x7fff_0000);
const refuse = (errno: number): Step => give(0x0005_0000 + errno);
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97] as const;

/** The steps only where the number loaded last is this one; they must end by giving an answer. */
const where = (value: number, steps: readonly Step[]): Step[] => [[0x15, 0, steps.length, value], ...steps];

/**
 * A filter of system calls as bubblewrap takes it; undefined: not known for this processor. Sockets are those of files, of
 * IP, and of netlink where it tells of the network alone: what a program finds of each is that of its own box.
 */
export function seccompFilter(processor: string): Buffer | undefined {
  const known = PROCESSORS[processor];
  if (known === undefined) return undefined;
  const { audit, clone, socket, ioctl, denied } = known;
  const sockets = [
    load(AT.first),
    ...where(16, [load(AT.third), ...where(0, [ALLOW]), refuse(EPERM)]),
    ...[1, 2, 10].flatMap((family) => where(family, [ALLOW])),
    refuse(EAFNOSUPPORT),
  ];
  // TIOCSTI and TIOCLINUX type into a terminal.
  const controls = [load(AT.second), ...[0x5412, 0x541c].flatMap((request) => where(request, [refuse(EPERM)])), ALLOW];
  const clones: Step[] = [load(AT.first), [0x45, 0, 1, NEW_NAMESPACES], refuse(EPERM), ALLOW];
  return encoded([
    load(AT.processor),
    [0x15, 1, 0, audit],
    give(0x8000_0000),
    load(AT.number),
    // Calls of the other ways in, such as those with pointers of 32 bits.
    [0x35, 0, 1, 0x4000_0000],
    refuse(EPERM),
    ...where(socket, sockets),
    ...where(ioctl, controls),
    ...where(clone, clones),
    // Libraries fall back to clone, whose arguments can be read here.
    ...where(CLONE3, [refuse(ENOSYS)]),
    ...[...denied, ...COMMON].flatMap((number) => where(number, [refuse(EPERM)])),
    ALLOW,
  ]);
}

function encoded(steps: readonly Step[]): Buffer {
  const bytes = Buffer.alloc(steps.length * 8);
  for (const [index, [code, yes, no, value]] of steps.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(yes, index * 8 + 2);
    bytes.writeUInt8(no, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}
