import { statfs } from 'node:fs/promises';

/** A file system as this account may use it, in bytes. */
export interface DiskSpace {
  free: number;
  total: number;
}

/** The space on the file system of a path. */
export async function diskSpaceAt(path: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(path);
  return { free: bavail * bsize, total: blocks * bsize };
}
