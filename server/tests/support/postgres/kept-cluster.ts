import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const defaultShelf = join(root, 'node_modules/.cache/test-clusters');

/** What a migrated cluster depends on: schema, the code that makes and migrates it, and the versions of packages. */
const definedBy = [
  'package-lock.json',
  'server/migrations',
  'server/src/platform/postgres/migrate.ts',
  'server/src/platform/postgres/embedded',
  'packages/embedded-postgres/src',
  'server/tests/support/postgres/kept-cluster.ts',
  'server/tests/support/postgres/postgres-setup.ts',
];

/** The present one, and the one of another branch. */
const keptAtMost = 2;

/**
 * Migrated clusters of earlier test runs, each by a hash of what defines it. `initdb` and all migrations take seconds,
 * a copy 0.1 s. A run works on its own copy, so any number may run at once.
 */
export class KeptClusters {
  readonly #shelf: string;
  readonly #kept: string;

  constructor({ shelf = defaultShelf, key = fingerprint() }: { shelf?: string; key?: string } = {}) {
    this.#shelf = shelf;
    this.#kept = join(shelf, key);
  }

  /** Copies the kept cluster to `cluster`. Returns false where there is none, or it was removed meanwhile. */
  restore(cluster: string): boolean {
    if (!existsSync(this.#kept)) return false;
    try {
      const now = new Date();
      utimesSync(this.#kept, now, now);
      cpSync(this.#kept, cluster, { recursive: true });
      // PostgreSQL starts with no other mode.
      chmodSync(cluster, 0o700);
      return true;
    } catch {
      rmSync(cluster, { recursive: true, force: true });
      return false;
    }
  }

  /** Keeps a copy of a cluster that was shut down. It is whole when it has its name, also after a kill. */
  keep(cluster: string): void {
    mkdirSync(this.#shelf, { recursive: true });
    this.#removeUnfinished();
    const unfinished = `${this.#kept}.${process.pid}`;
    cpSync(cluster, unfinished, { recursive: true });
    try {
      renameSync(unfinished, this.#kept);
    } catch (error) {
      // Another run has kept the same one.
      if (!existsSync(this.#kept)) throw error;
      rmSync(unfinished, { recursive: true });
    }
    this.#removeOldest();
  }

  #removeUnfinished(): void {
    for (const name of readdirSync(this.#shelf)) {
      const [, pid] = name.split('.');
      if (pid !== undefined && !isAlive(Number(pid))) this.#remove(name);
    }
  }

  #removeOldest(): void {
    const whole = readdirSync(this.#shelf).filter((name) => !name.includes('.'));
    const usedMs = new Map(whole.map((name) => [name, usedAt(join(this.#shelf, name))]));
    const newestFirst = whole.toSorted((one, other) => (usedMs.get(other) ?? 0) - (usedMs.get(one) ?? 0));
    for (const name of newestFirst.slice(keptAtMost)) this.#remove(name);
  }

  /** Out of the way first, so that no run restores half of it. */
  #remove(name: string): void {
    const removed = join(this.#shelf, `${name.split('.')[0]}.${process.pid}.removed`);
    try {
      renameSync(join(this.#shelf, name), removed);
    } catch {
      // Another run removes it.
    }
    rmSync(removed, { recursive: true, force: true });
  }
}

function usedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function fingerprint(): string {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${process.geteuid?.()}`);
  for (const path of definedBy.flatMap(filesOf)) hash.update(`${path}\n`).update(readFileSync(join(root, path)));
  return hash.digest('hex').slice(0, 16);
}

function filesOf(path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path))
    .toSorted()
    .map((name) => `${path}/${name}`)
    .filter((file) => /\.(ts|sql)$/.test(file));
}
