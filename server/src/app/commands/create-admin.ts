import { systemClock } from '../../core/clock.ts';
import { addAdministrator } from '../../domains/identity/users/first-administrator.ts';
import { addInvitedAdministrator } from '../../domains/identity/users/first-invitation.ts';
import { Passwords } from '../../platform/crypto/passwords.ts';
import { randomText } from '../../platform/crypto/random-text.ts';
import { Database } from '../../platform/postgres/database.ts';
import { openLog } from '../../platform/process/log.ts';
import { loadSettings } from '../config/load-settings.ts';
import { publicUrlOf } from '../config/public-url.ts';
import type { Settings } from '../config/settings.ts';
import { findDatabase } from '../open-database.ts';

const passwordLength = 20;

/**
 * `florin create-admin`: creates a platform administrator in the database, beside a running service or without one.
 * Returns the password, which is random unless given; with app.security.profile=strict the link with which the
 * administrator chooses it.
 */
export async function createAdministrator(
  account: string,
  given: string | undefined,
  givenSettings?: Settings,
): Promise<{ password: string } | { invitation: string }> {
  const settings = givenSettings ?? (await loadSettings());
  const password = given ?? randomText(passwordLength);
  const { connection, stop } = await findDatabase(settings, openLog('warn'));
  const database = new Database({ connection, connections: 1, name: 'create-admin' });
  try {
    if (given === undefined && settings['app.security.profile'] === 'strict') {
      const publicUrl = publicUrlOf(settings);
      return { invitation: await addInvitedAdministrator({ database, clock: systemClock, account, publicUrl }) };
    }
    await addAdministrator({
      database,
      passwords: new Passwords(),
      clock: systemClock,
      account,
      password,
      passwordMinLength: settings['app.password.min-length'],
    });
    return { password };
  } finally {
    await database.close();
    await stop();
  }
}
