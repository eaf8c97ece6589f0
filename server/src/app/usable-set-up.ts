import { secondMs } from '../core/clock.ts';
import { proveNotifications, type SetUpFault, UnusableSetUp } from '../platform/postgres/bus/prove-notifications.ts';
import type { ConnectionConfig } from '../platform/postgres/connection/connection-url.ts';
import { SettingsError } from './config/settings.ts';

/** While a primary moves, the two connections may lead to different servers. */
const patienceMs = 30 * secondMs;

/**
 * Returns a check that a notification sent over `app.database.url` arrives over `app.database.direct-url`. Repeat it
 * while it throws `UnusableSetUp`: once it has thrown nothing else for `patience` ms, it throws the SettingsError that
 * ends the start.
 */
export function usableSetUpCheck(
  { connection, direct }: { connection: ConnectionConfig; direct: ConnectionConfig },
  patience = patienceMs,
): () => Promise<void> {
  let unusableSinceMs: number | undefined;
  return async () => {
    try {
      await proveNotifications(connection, direct);
    } catch (error) {
      if (!(error instanceof UnusableSetUp)) {
        unusableSinceMs = undefined;
        throw error;
      }
      unusableSinceMs ??= performance.now();
      error.message = reasonOf(error.fault, direct !== connection);
      if (performance.now() - unusableSinceMs >= patience) throw new SettingsError(`${error.message}.`);
      throw error;
    }
  };
}

function reasonOf(fault: SetUpFault, hasDirectUrl: boolean): string {
  if (fault === 'no_transactions') {
    return (
      'app.database.url leads to a pooler in statement mode, which allows no transactions: ' +
      'set its pool_mode to transaction or session'
    );
  }
  if (hasDirectUrl) {
    return (
      'a notification sent over app.database.url does not arrive over app.database.direct-url: it must lead to the ' +
      'same database, and to PostgreSQL itself or to a pooler in session mode'
    );
  }
  return (
    'a notification sent over app.database.url does not arrive: it leads to a pooler in transaction mode, so set ' +
    'app.database.direct-url to an address of PostgreSQL itself, of the same database'
  );
}
