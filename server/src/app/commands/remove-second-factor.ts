import { systemClock } from '../../core/clock.ts';
import { removeFactorAsOperator } from '../../domains/identity/second-factor/remove.ts';
import { Database } from '../../platform/postgres/database.ts';
import { openLog } from '../../platform/process/log.ts';
import { loadSettings } from '../config/load-settings.ts';
import type { Settings } from '../config/settings.ts';
import { findDatabase } from '../open-database.ts';

/**
 * `florin remove-second-factor`: removes the second factor of a user in the database, beside a running service or
 * without one, when nobody who could do it in the interface can log in. The password is still needed to log in.
 */
export async function removeSecondFactor(account: string, givenSettings?: Settings): Promise<void> {
  const settings = givenSettings ?? (await loadSettings());
  const { connection, stop } = await findDatabase(settings, openLog('warn'));
  const database = new Database({ connection, connections: 1, name: 'remove-second-factor' });
  try {
    await removeFactorAsOperator(account, { database, clock: systemClock });
  } finally {
    await database.close();
    await stop();
  }
}
