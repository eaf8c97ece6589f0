import { resolve } from 'node:path';
import type { Clock } from '../../../core/clock.ts';
import type { Log } from '../../../platform/process/log.ts';
import type { Settings } from '../../config/settings.ts';
import type { OpenDatabase } from '../../open-database.ts';
import { openSession } from '../session.ts';
import { stopKeepingWal } from './archive-wal.ts';
import { Archiver } from './archiver.ts';
import { basesIn } from './base-manifest.ts';

export interface ArchiverParts {
  settings: Settings;
  log: Log;
  clock: Clock;
}

/** Starts the archiver of `app.backup.archive`; undefined without it. */
export async function archiverOf(
  { embedded }: Pick<OpenDatabase, 'embedded'>,
  { settings, log, clock }: ArchiverParts,
): Promise<Archiver | undefined> {
  if (embedded === undefined) return undefined;
  const { superuser, cluster } = embedded;
  const path = settings['app.backup.archive'];
  if (path === undefined) {
    // An earlier start had an archive: the log is not kept for it any more.
    const session = await openSession(superuser, 'archive');
    await stopKeepingWal(session);
    await session.close();
    return undefined;
  }
  const folder = resolve(path);
  const sayWhatToDo = () =>
    log.warn({ folder }, `Nothing can be restored to a time until there is a base backup: florin backup ${folder}`);
  const bases = await basesIn(folder, () => {}).catch(() => undefined);
  if (bases?.length === 0) sayWhatToDo();
  const archiver = new Archiver({ superuser, cluster, folder, clock, log, onGap: sayWhatToDo });
  archiver.start();
  return archiver;
}
