import { createHash, randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresError } from './contract.ts';
import { requireFolderOrNothing } from './places.ts';
import { identify } from './process-table.ts';

/** When two processes start at once, one waits this long for the other to give up. */
const giveWayMs = 500;

export interface FolderLock {
  release(): void;
}

/**
 * Makes this process the only one that runs a database in `root`.
 *
 * Every starting process first creates a claim file with a unique name, then lists the others. Of two processes the one
 * that creates its claim second sees the first, so at most one continues. Any process may delete the claim of a dead
 * one at any time, because its name is never used again. So a stale lock cannot be taken over twice, as a single lock
 * file can.
 *
 * @throws EmbeddedPostgresError that names the process which holds the lock
 */
export async function lockFolder(root: string): Promise<FolderLock> {
  const folder = join(root, 'lock');
  requireFolderOrNothing(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const own = claimName();
  closeSync(openSync(join(folder, own), 'wx', 0o600));
  const release = () => rmSync(join(folder, own), { force: true });
  const deadline = performance.now() + giveWayMs;
  for (;;) {
    const others = livingClaims(folder, own);
    if (others.length === 0) return { release };
    // Processes that start at once are ordered by name: the first waits until the others have given up. If another
    // already holds the folder, the wait times out and this one gives up.
    const first = others.every((name) => own < name);
    if (!first || performance.now() > deadline) {
      release();
      throw new EmbeddedPostgresError(
        'in_use',
        `data folder ${root} is in use by process ${holderOf(others)}; stop that process or choose another folder`,
      );
    }
    await sleep(10);
  }
}

/** All information is in the name, so that a claim is complete as soon as it exists. */
function claimName(): string {
  return `${process.pid}-${startMark(process.pid) ?? 'unknown'}-${randomBytes(6).toString('hex')}`;
}

/** The format of a claim's name. Files with other names are ignored. */
const claimForm = /^(\d+)-([0-9a-f]{16}|unknown)-[0-9a-f]{12}$/;

/** The claims of other running processes; those of dead ones are deleted. */
function livingClaims(folder: string, own: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const [name, pid, start] = entry.isFile() && entry.name !== own ? (claimForm.exec(entry.name) ?? []) : [];
    if (name === undefined) return [];
    if (startMark(Number(pid)) === start) return [name];
    rmSync(join(folder, name), { force: true });
    return [];
  });
}

/** The other process that uses the folder; undefined when there is none. Changes nothing. */
export function holderOfFolder(dataDir: string): number | undefined {
  try {
    const holder = readdirSync(join(dataDir, 'lock'))
      .flatMap((name) => [claimForm.exec(name) ?? []])
      .find(([, pid, start]) => pid !== undefined && startMark(Number(pid)) === start);
    return holder && Number(holder[1]);
  } catch {
    return undefined;
  }
}

function startMark(pid: number): string | undefined {
  const identity = identify(pid);
  return identity && createHash('sha256').update(identity.startedAt).digest('hex').slice(0, 16);
}

function holderOf(claims: readonly string[]): string {
  return claims.map((name) => name.split('-')[0]).join(', ');
}
