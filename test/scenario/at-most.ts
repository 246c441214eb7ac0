const LIMIT = 3;
let running = 0;
const waiting: (() => void)[] = [];

/** Runs `work` when fewer than three others run: programs that starve each other prove nothing. */
export async function atMost<T>(work: () => Promise<T>): Promise<T> {
  while (running >= LIMIT) await new Promise<void>((resolve) => waiting.push(resolve));
  running++;
  try {
    return await work();
  } finally {
    running--;
    waiting.shift()?.();
  }
}
