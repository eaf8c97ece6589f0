import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@florin/server/tests/postgres/database.ts';
import { administratorPassword } from '@florin/server/tests/service/florin.ts';
import { type ReadyService, startService } from '@florin/server/tests/service/service-process.ts';
import { type Receiver, startReceiver } from '@florin/server/tests/webhooks/receiver.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Florin } from '../../sdk/src/index.ts';
import { TestShell } from './run.ts';

/** `florin listen` while the service is killed again and again, with its own PostgreSQL. */
let folder: string;
let receiver: Receiver;
let service: ReadyService;
let port = '0';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'florin-listen-'));
  receiver = await startReceiver();
  await start();
  port = new URL(service.address).port;
});

afterAll(async () => {
  await service.end('SIGTERM');
  await receiver.close();
  await rm(folder, { recursive: true });
});

async function start(): Promise<void> {
  service = await startService({
    cwd: folder,
    environment: { PORT: port, APP_DATA_DIR: join(folder, 'data'), APP_ADMIN_PASSWORD: administratorPassword },
  });
}

test('every event is forwarded once while the service is killed four times', async () => {
  const admin = new Florin({ baseUrl: service.address });
  await admin.login({ account: 'admin', password: administratorPassword });
  const apiKey = (await admin.keys.generate({ scope: '*', livemode: false })).sk as string;
  const shop = new Florin({ baseUrl: service.address, apiKey });
  const bank = { name: 'Bank', code: 'bank', type: 'OFFLINE', currency: 'USD', country: 'US', state: true } as const;
  const { id: channelId } = await shop.channels.modify(bank);

  const shell = new TestShell({ FLORIN_URL: service.address, FLORIN_API_KEY: apiKey });
  const interruption = new AbortController();
  const { promise: listening, resolve: isListening } = Promise.withResolvers<void>();
  const listen = shell.run(`listen --forward-to ${receiver.url}/hooks`, {
    signal: interruption.signal,
    onOutput: (_stdout, stderr) => stderr.includes('Ctrl-C ends it') && isListening(),
  });
  await listening;

  const paid: string[] = [];
  let isPaying = true;
  const payer = (async () => {
    while (isPaying) {
      const payment = await shop.transactions.create({ amount: 1, currency: 'USD', channelId }).catch(() => undefined);
      if (payment !== undefined) paid.push(payment.id);
      // At the pace of a person who tries a shop, because the receiver gets one event after the other.
      await pause(30);
    }
  })();
  for (let kills = 0; kills < 4; kills++) {
    const before = paid.length;
    await eventually('payments are made', () => paid.length > before + 30);
    await service.end('SIGKILL');
    await start();
  }
  isPaying = false;
  await payer;

  const created = () =>
    receiver.received
      .map(({ body }) => JSON.parse(String(body)))
      .filter(({ type }) => type === 'transaction.created')
      .map(({ data }) => data.object.id as string);
  await eventually('every payment is forwarded', () => created().length >= paid.length);
  interruption.abort(new DOMException('Interrupted', 'AbortError'));
  const { exitCode, stderr } = await listen;
  shell.remove();
  // A payment whose answer was lost by a kill may also exist, and only once.
  expect(paid.filter((id) => !created().includes(id))).toEqual([]);
  expect(new Set(created()).size).toBe(created().length);
  expect(exitCode).toBe(130);
  expect(stderr.match(/Connection lost/g)?.length).toBe(stderr.match(/Connected again/g)?.length);
});
