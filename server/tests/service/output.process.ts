import { closeSync, openSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findRunningFlorin } from '../../src/platform/postgres/embedded/florin-postgres.ts';
import { eventually } from '../support/postgres/database.ts';
import { clientOf } from '../support/service/florin.ts';
import { spawnService, startService } from '../support/service/service-process.ts';
import { StartFolder } from '../support/service/start-folder.ts';

let folder: StartFolder;

beforeAll(async () => {
  folder = await StartFolder.open();
});

afterAll(() => folder.close());

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

/** The service, which must become ready without ending, and then stop as usual. */
async function servesWith(options: { output?: number; isRead?: boolean }): Promise<void> {
  const PORT = await freePort();
  const { output, isRead = true } = options;
  const service = spawnService({
    environment: folder.onDatabase({ PORT, APP_LOG_LEVEL: 'debug' }),
    ...(output !== undefined && { output }),
  });
  if (!isRead) service.stopReading();
  const ended = service.ended.then(({ code }) => `ended with ${code}`);
  const client = clientOf(`http://127.0.0.1:${PORT}`);
  const ready = eventually('it is ready', async () => {
    const reply = await client.get('/health/ready').catch(() => undefined);
    return reply?.status === 200 && 'ready';
  });
  expect(await Promise.race([ended, ready])).toBe('ready');
  expect((await service.end('SIGTERM')).code).toBe(0);
}

test('the service starts and stops as usual when the disk of its output and its log is full', async () => {
  // Every write to it fails with ENOSPC.
  const output = openSync('/dev/full', 'w');
  await servesWith({ output }).finally(() => closeSync(output));
});

test('the service starts and stops as usual when nobody reads its output any more', async () => {
  await servesWith({ isRead: false });
});

test('a closed terminal stops the service and its PostgreSQL', async () => {
  const dataDir = join(folder.path, 'own');
  const service = await startService({ environment: { PORT: '0', APP_DATA_DIR: dataDir, APP_LOG_LEVEL: 'silent' } });
  expect(await findRunningFlorin(dataDir)).toBeDefined();
  expect((await service.end('SIGHUP')).code).toBe(0);
  expect(await findRunningFlorin(dataDir)).toBeUndefined();
});
