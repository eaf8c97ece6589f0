import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../../tests/support/postgres/database.ts';
import { transactionPooler } from '../../tests/support/postgres/transaction-pooler.ts';
import { UnusableSetUp } from '../platform/postgres/bus/prove-notifications.ts';
import { SettingsError } from './config/settings.ts';
import { usableSetUpCheck } from './usable-set-up.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await databaseFromTemplate('template0');
});

afterAll(() => db.drop());

test('a start goes on when a notification comes back, also through a pooler beside a direct connection', async () => {
  const { connection } = db;
  await usableSetUpCheck({ connection, direct: connection }, 0)();
  const pooler = await transactionPooler(connection);
  await usableSetUpCheck({ connection: { ...pooler.connection, hasPooler: true }, direct: connection }, 0)();
  await pooler.close();
});

test('a pooler in transaction mode alone is refused after the patience, with what to set', async () => {
  const { connection, close } = await transactionPooler(db.connection);
  await expect(usableSetUpCheck({ connection, direct: connection })()).rejects.toThrow(UnusableSetUp);
  const refused = usableSetUpCheck({ connection, direct: connection }, 0)();
  await expect(refused).rejects.toThrow(/transaction mode, so set app\.database\.direct-url to .*\.$/);
  await expect(refused).rejects.toThrow(SettingsError);
  await close();
});

test('two databases are refused after the patience, and may be one again before', async () => {
  const other = await databaseFromTemplate('template0');
  const addresses = { connection: db.connection, direct: other.connection };
  const check = usableSetUpCheck(addresses);
  await expect(check()).rejects.toThrow(/does not arrive over app\.database\.direct-url.*the same database/);
  addresses.direct = db.connection;
  await usableSetUpCheck(addresses)();
  await other.drop();
});
