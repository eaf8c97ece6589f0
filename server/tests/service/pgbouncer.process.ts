import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasPgbouncer, startPgbouncer } from '../support/postgres/pgbouncer.ts';
import { urlOf } from '../support/service/florin.ts';
import { refusalOfStart } from '../support/service/refusal-of-start.ts';
import { startService } from '../support/service/service-process.ts';
import { StartFolder } from '../support/service/start-folder.ts';

/** What `npm run poolers` tests of a running service holds of its start, too. */
describe.skipIf(!hasPgbouncer)('a start through pgbouncer', () => {
  let folder: StartFolder;

  beforeAll(async () => {
    folder = await StartFolder.open();
  });

  afterAll(() => folder.close());

  // Each waits for thirty seconds.
  test.concurrent.each([
    ['transaction', /transaction mode, so set app\.database\.direct-url/],
    ['statement', /statement mode, which allows no transactions: set its pool_mode/],
  ] as const)('in %s mode alone is refused after 30 seconds, with the reason', async (poolMode, reason) => {
    const pooler = await startPgbouncer(folder.db.connection, { poolMode });
    const environment = folder.onDatabase({ DATABASE_URL: urlOf(pooler.connection) });
    expect(await refusalOfStart({ environment })).toMatch(reason);
    await pooler.stop();
  });

  test.each([
    ['in session mode', 'session', {}],
    ['in transaction mode, beside a direct connection', 'transaction', { direct: true }],
  ] as const)('%s is ready', async (_, poolMode, { direct = false }: { direct?: boolean }) => {
    const pooler = await startPgbouncer(folder.db.connection, { poolMode, serverConnections: 40 });
    const environment = folder.onDatabase({
      DATABASE_URL: urlOf(pooler.connection),
      ...(direct && { APP_DATABASE_DIRECT_URL: urlOf(folder.db.connection) }),
    });
    const service = await startService({ environment });
    expect((await service.get('/health/ready')).status).toBe(200);
    expect((await service.end('SIGTERM')).code).toBe(0);
    await pooler.stop();
  });
});
