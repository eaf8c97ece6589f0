import { readFile, statfs } from 'node:fs/promises';

/** What a check reads of the machine; a test replaces it. */
export interface Machine {
  /** In ms since the epoch. */
  now: () => number;
  /** In bytes, of the file system of a path. */
  freeSpace: (path: string) => Promise<{ free: number; total: number }>;
  /** How many files and connections a process may have open; undefined where the system does not tell. */
  openFileLimit: () => Promise<number | undefined>;
}

export const thisMachine: Machine = {
  now: Date.now,
  freeSpace: async (path) => {
    const { bavail, blocks, bsize } = await statfs(path);
    return { free: bavail * bsize, total: blocks * bsize };
  },
  openFileLimit: async () => {
    const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
    const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
    return soft === undefined ? undefined : Number(soft);
  },
};
