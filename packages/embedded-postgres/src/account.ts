import { accessSync, constants, existsSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { EmbeddedPostgresError } from './contract.ts';

/**
 * Accounts to run as when this process is root, in order of preference. PostgreSQL refuses to run as root, and its
 * tools need an account with a passwd entry.
 */
const unprivilegedNames = ['postgres', 'nobody'];

/** The account that PostgreSQL runs as. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
  /** Whether this process is root and must switch to the account. */
  readonly switched: boolean;
}

/** The account of this process, unless it is root. */
export function chooseAccount(): Account {
  const uid = process.geteuid?.() ?? 0;
  if (uid !== 0) return { uid, gid: process.getegid?.() ?? uid, switched: false };
  if (process.platform !== 'linux') {
    throw new EmbeddedPostgresError('cannot_run', 'PostgreSQL refuses to run as root; start it as an ordinary user');
  }
  const passwd = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of unprivilegedNames) {
    const entry = passwd.find((fields) => fields[0] === name);
    if (entry) return { uid: Number(entry[2]), gid: Number(entry[3]), switched: true };
  }
  throw new EmbeddedPostgresError(
    'cannot_run',
    'PostgreSQL refuses to run as root and there is no account postgres or nobody to run it as; add one, ' +
      'or start it as an ordinary user',
  );
}

/** Options for `spawn` to run a program as the account. */
export function spawnAs(account: Account): { uid?: number; gid?: number } {
  return account.switched ? { uid: account.uid, gid: account.gid } : {};
}

/**
 * Whether the account may enter the folder by its path. Decided by mode bits, because `access` would answer for root.
 */
export function canEnter(account: Account, folder: string): boolean {
  if (!existsSync(folder)) return false;
  let step = realpathSync(folder);
  for (;;) {
    if (!permits(account, step, constants.X_OK)) return false;
    if (dirname(step) === step) return true;
    step = dirname(step);
  }
}

/** Whether the account has these rights (`fs.constants.R_OK`, `X_OK`) on this file, regardless of its path. */
export function permits(account: Account, path: string, rights: number): boolean {
  if (account.switched) return (rightsOf(account, statSync(path)) & rights) === rights;
  try {
    accessSync(path, rights);
    return true;
  } catch {
    return false;
  }
}

function rightsOf(account: Account, stats: Stats): number {
  if (stats.uid === account.uid) return (stats.mode >> 6) & 7;
  if (stats.gid === account.gid) return (stats.mode >> 3) & 7;
  return stats.mode & 7;
}
