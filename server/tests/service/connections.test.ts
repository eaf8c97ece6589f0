import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { assemble } from '../../src/app/assemble.ts';
import { readSettings, settings } from '../../src/app/config/settings.ts';
import { systemClock } from '../../src/core/clock.ts';
import { freshKeyring, parseKeyring } from '../../src/platform/crypto/keyring.ts';
import type { ConnectionConfig } from '../../src/platform/postgres/connection/connection-url.ts';
import { statement } from '../../src/platform/postgres/statement.ts';
import { Lifecycle } from '../../src/platform/process/lifecycle.ts';
import { openLog } from '../../src/platform/process/log.ts';
import { databaseFromTemplate } from '../support/postgres/database.ts';

/** Connections outside the pools: those of the listener and the primary monitor. */
const outsidePools = 2;

function poolsAt(connection: ConnectionConfig) {
  const lifecycle = new Lifecycle(() => {});
  const keyring = parseKeyring(freshKeyring());
  const { pools } = assemble(
    { connection, direct: connection, isOursAlone: true },
    { jwtKeys: keyring, encryptionKeys: keyring },
    { settings: readSettings({}, undefined), log: openLog('silent'), clock: systemClock, lifecycle },
  );
  return { pools, lifecycle };
}

test('a node opens as many connections as the operations page says', async () => {
  // Connections are opened at their first use: there is none.
  const { pools, lifecycle } = poolsAt({ host: '127.0.0.1', port: 1 });
  const most = Object.fromEntries([...pools.byName].map(([name, { connections }]) => [name, connections]));
  await lifecycle.stop();
  const total = Object.values(most).reduce((sum, connections) => sum + connections, outsidePools);

  const page = readFileSync(fileURLToPath(new URL('../../../docs/guides/operations.md', import.meta.url)), 'utf8');
  const documented = /Each node uses([\s\S]*?): (\d+)\s+in\s+all/.exec(page);
  expect(Number(documented?.[2])).toBe(total);
  const description = settings['app.database.connections'].description;
  for (const words of [documented?.[1]?.replaceAll(/\s+/g, ' '), description]) {
    expect(words).toContain('one each for the batch writer, the listener and the primary monitor');
  }
  expect(most).toEqual({ main: 10, queue: 9, worker: 4, writer: 1 });
});

const showPlanning = statement<{ mode: string; scans: string }>(
  'test.show_planning',
  `select current_setting('plan_cache_mode') as mode, current_setting('enable_seqscan') as scans`,
);

test('only the statements that run hundreds of times a second, and the writer, keep their plans', async () => {
  const db = await databaseFromTemplate();
  const { pools, lifecycle } = poolsAt(db.connection);
  const planning: Record<string, string> = {};
  for (const [name, pool] of pools.byName) {
    const [row] = await pool.run(showPlanning);
    planning[name] = `${row?.mode}, scans ${row?.scans}`;
  }
  await lifecycle.stop();
  await db.drop();
  expect(planning).toEqual({
    main: 'force_custom_plan, scans on',
    worker: 'force_custom_plan, scans off',
    queue: 'force_generic_plan, scans off',
    writer: 'auto, scans on',
  });
});
