import { createHash, randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresError } from './contract.ts';
import { requireFolderOrNothing } from './places.ts';
import { identify } from './process-table.ts';

/** How long of two starts at the same moment one waits for the other to give way. */
const giveWayMs = 500;

export interface FolderLock {
  release(): void;
}

/**
 * Makes this process the only one that runs a database in `root`.
 *
 * Announce, then look: every starter first creates a claim under a name that nobody else ever uses, then lists
 * the others. Of two starters the one that creates its claim second sees the first, so at most one goes on. A
 * claim of a dead process can be deleted by anyone at any time, because its name never comes again; that is why
 * there is no moment in which a stale lock could be taken over twice, as there is with a single lock file.
 *
 * @throws EmbeddedPostgresError naming the holder, when it lives
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
    // Starters that meet are ordered by name: the first waits until the rest gave way. It waits in vain, and
    // then gives up, when the other already holds the folder.
    const first = others.every((name) => own < name);
    if (!first || performance.now() > deadline) {
      release();
      throw new EmbeddedPostgresError(
        `data folder ${root} is in use by Florin process ${holderOf(others)}; stop that process or choose another folder`,
      );
    }
    await sleep(10);
  }
}

/** Everything there is to know is in the name, so a claim is complete in the moment it exists. */
function claimName(): string {
  return `${process.pid}-${startMark(process.pid) ?? 'unknown'}-${randomBytes(6).toString('hex')}`;
}

/** The form of a claim's name. What is named otherwise was put there by somebody else, and is left alone. */
const claimForm = /^(\d+)-([0-9a-f]{16}|unknown)-[0-9a-f]{12}$/;

/** The claims of living processes but `own`; those of dead ones are deleted. */
function livingClaims(folder: string, own: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const [name, pid, start] = entry.isFile() && entry.name !== own ? (claimForm.exec(entry.name) ?? []) : [];
    if (name === undefined) return [];
    if (startMark(Number(pid)) === start) return [name];
    rmSync(join(folder, name), { force: true });
    return [];
  });
}

/** The process that uses the folder, other than this one; undefined when there is none. Only looks. */
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
