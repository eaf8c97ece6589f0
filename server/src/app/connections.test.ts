import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { freshKeyring, parseKeyring } from '../platform/crypto/keyring.ts';
import { Lifecycle } from '../platform/process/lifecycle.ts';
import { openLog } from '../platform/process/log.ts';
import { assemble } from './assemble.ts';
import { readSettings, settings } from './settings.ts';

/** Connections that are no pool's: the listener's and the primary monitor's. */
const others = 2;

test('the connections of a node are as many as the operations page says', async () => {
  const lifecycle = new Lifecycle(() => {});
  const keyring = parseKeyring(freshKeyring());
  // Nothing is connected: connections are opened when they are first needed.
  const nowhere = { host: '127.0.0.1', port: 1 };
  const { pools } = assemble(
    { connection: nowhere, direct: nowhere },
    { jwtKeys: keyring, encryptionKeys: keyring, encryptionKeysFrom: 'test', keep: async () => {} },
    { settings: readSettings({}, undefined), log: openLog('silent'), clock: systemClock, lifecycle },
  );
  const most = Object.fromEntries([...pools].map(([name, { connections }]) => [name, connections]));
  await lifecycle.stop();
  const total = Object.values(most).reduce((sum, connections) => sum + connections, others);

  const page = readFileSync(fileURLToPath(new URL('../../../docs/guides/operations.md', import.meta.url)), 'utf8');
  const told = /Each node uses([\s\S]*?): (\d+)\s+in\s+all/.exec(page);
  expect(Number(told?.[2])).toBe(total);
  const description = settings['app.database.connections'].description;
  for (const words of [told?.[1]?.replaceAll(/\s+/g, ' '), description]) {
    expect(words).toContain(
      'one each for the batch writer, the batch reader, subscriptions, the lookout, the listener and the primary monitor',
    );
  }
  expect(most).toEqual({
    main: 10,
    worker: 5,
    processing: 4,
    lists: 2,
    writer: 1,
    reader: 1,
    subscriptions: 1,
    poller: 1,
  });
});
