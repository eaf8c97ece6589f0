import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { assemble } from '../../src/app/assemble.ts';
import { readSettings, settings } from '../../src/app/config/settings.ts';
import { systemClock } from '../../src/core/clock.ts';
import { freshKeyring, parseKeyring } from '../../src/platform/crypto/keyring.ts';
import { Lifecycle } from '../../src/platform/process/lifecycle.ts';
import { openLog } from '../../src/platform/process/log.ts';

/** Connections outside the pools: those of the listener and the primary monitor. */
const outsidePools = 2;

test('a node opens as many connections as the operations page says', async () => {
  const lifecycle = new Lifecycle(() => {});
  const keyring = parseKeyring(freshKeyring());
  // Connections are opened at their first use: there is none.
  const nowhere = { host: '127.0.0.1', port: 1 };
  const { pools } = assemble(
    { connection: nowhere, direct: nowhere, isOursAlone: true },
    { jwtKeys: keyring, encryptionKeys: keyring },
    { settings: readSettings({}, undefined), log: openLog('silent'), clock: systemClock, lifecycle },
  );
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
