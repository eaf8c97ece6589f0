import { execFileSync } from 'node:child_process';
import { mkdtempSync, statfsSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { administratorOf, dataOf, makeChannel } from '../../support/factories.ts';
import { eventually } from '../../support/postgres/database.ts';
import { administratorPassword } from '../../support/service/florin.ts';
import { type ReadyService, startService } from '../../support/service/service-process.ts';
import { aRefusal } from '../../support/shapes.ts';

/** A service whose data folder is on a small disk of its own, which needs the right to mount one. */
const disk = mkdtempSync(join(tmpdir(), 'florin-disk-'));
const isMounted = canMount();

function canMount(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', disk], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

let service: ReadyService;
let admin: string;
let channelId: number;

beforeAll(async () => {
  if (!isMounted) return;
  service = await startService({
    environment: {
      PORT: '0',
      APP_DATA_DIR: join(disk, 'data'),
      APP_LOG_LEVEL: 'silent',
      APP_ADMIN_PASSWORD: administratorPassword,
    },
  });
  admin = await administratorOf(service);
  channelId = await makeChannel(service, admin);
});

afterAll(async () => {
  if (!isMounted) return;
  await service.end('SIGTERM');
  execFileSync('umount', [disk]);
  await rm(disk, { recursive: true, force: true });
});

const pay = () =>
  service.post(
    '/api/transaction/create',
    { amount: 1999, currency: 'USD', channelId, description: 'x'.repeat(500), metadata: { text: 'y'.repeat(8000) } },
    admin,
  );
const ready = () => service.get('/health/ready');
const filler = join(disk, 'filler');

/** Leaves `bytes` of the disk free. */
function fillUpTo(bytes: number): void {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(filler, Buffer.alloc(bavail * bsize - bytes));
}

test.skipIf(!isMounted)('a full disk is named, the node is not ready, and both end when there is room', async () => {
  const { storage } = dataOf(await ready());
  expect(storage).toEqual({ freeBytes: expect.any(Number), totalBytes: 160 * 1024 ** 2 });

  fillUpTo(1024 ** 2);
  // A hundred of them fill the last megabyte.
  const refused = await eventually('a payment is refused', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, pay));
    return replies.find(({ status }) => status !== 200);
  });
  expect(refused).toMatchObject({ status: 503, body: aRefusal(503, { type: 'storage_full' }) });
  expect(refused.headers.get('retry-after')).toBe('10');
  const unready = await eventually('the node is not ready', async () => {
    const reply = await ready();
    return reply.status === 503 && reply;
  });
  expect(unready.body.error).toMatchObject({ type: 'storage_full', details: { totalBytes: 160 * 1024 ** 2 } });
  // It stays so, whether its PostgreSQL goes on or has ended because its log could not be written.
  for (let i = 0; i < 3; i++) expect((await pay()).body.error.type).toBe('storage_full');
  expect((await ready()).status).toBe(503);

  await rm(filler);
  await eventually('the node is ready again', async () => (await ready()).status === 200);
  await eventually('a payment is stored', async () => (await pay()).status === 200);
});
